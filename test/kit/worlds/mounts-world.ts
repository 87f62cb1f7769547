// A project with a package and a state directory beside it, and tools with mount paths.
import fs from "node:fs";
import path from "node:path";
import type { CellOptions } from "../../../src/cell.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { MountsObservation } from "../../../src/core/types.ts";
import { openTempCell, type TempCell, tempDir } from "./temp-cell.ts";

export interface MountsWorld extends TempCell {
  readonly pkg: string;
  /** The observation of the tool, without `meta`. */
  call(name: string, args: JsonObject): Promise<JsonObject>;
}

export async function openMounts(
  options: Partial<CellOptions> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<MountsWorld> {
  const pkg = tempDir();
  fs.writeFileSync(path.join(pkg, "pkg.txt"), "of the package\n");
  const world = await openTempCell(
    { toolsets: ["mounts"], trust: "autonomous", mounts: { pkg: { path: pkg } }, ...options },
    files,
  );
  return {
    ...world,
    pkg,
    async call(name, args) {
      const { meta: _, ...result } = await world.cell.call<MountsObservation>({ name, arguments: args });
      return result as JsonObject;
    },
  };
}
