// The code of a tool, ready to be metered.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { HotcellError } from "../../core/errors.ts";
import { commandContract, PAGE_BYTES, pagesOf } from "../../wasm/contract.ts";
import { inspectModule } from "../../wasm/inspect.ts";
import { meterModule } from "../../wasm/meter.ts";
import type { GuestProgram } from "./guests.ts";

/** Throws INVALID_MODULE if hotcell cannot run the module in this memory; nothing of it is executed. */
export function commandProgram(code: Uint8Array, sha256: string, memoryMiB: number): GuestProgram {
  const pages = pagesOf(memoryMiB);
  const { memoryPages } = inspectModule(code, commandContract(pages));
  meterModule(code, { maxMemoryPages: pages });
  return {
    sha256,
    moduleKey: sha256,
    script: null,
    meter(maxMemoryPages) {
      if (memoryPages > maxMemoryPages) throw tooLittle(memoryPages, maxMemoryPages);
      return meterModule(code, { maxMemoryPages });
    },
  };
}

/** The configuration allows less than the manifest asked for. */
function tooLittle(needed: number, allowed: number): HotcellError {
  const message = `Could not run the wasm tool: it begins with ${needed / 16} MiB of memory, and may have ${allowed / 16} MiB. Raise TOOL_MEMORY_MB.`;
  return new HotcellError("MEMORY_LIMIT", message, {
    limit: allowed * PAGE_BYTES,
    used: needed * PAGE_BYTES,
  });
}

/** A script on QuickJS. */
export function scriptProgram(script: string, sha256: string): GuestProgram {
  return {
    sha256,
    moduleKey: "quickjs",
    script,
    meter: (maxMemoryPages) =>
      meterModule(readFileSync(createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm")), {
        maxMemoryPages,
      }),
  };
}
