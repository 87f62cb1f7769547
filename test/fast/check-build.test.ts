import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findNewerSource } from "../kit/check-build.ts";
import { tempDir } from "../kit/worlds/temp-cell.ts";

test("a build is stale if a source file is newer, or if there is none", () => {
  const root = tempDir();
  const write = (name: string, seconds: number) => {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "");
    fs.utimesSync(file, seconds, seconds);
  };
  write("src/core/a.ts", 1000);
  expect(findNewerSource(root)).toBe("src/core/a.ts");
  write("dist/config/config.schema.json", 2000);
  write("src/core/a.test.ts", 3000);
  expect(findNewerSource(root)).toBe(null);
  write("src/b.ts", 3000);
  expect(findNewerSource(root)).toBe("src/b.ts");
});
