import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";

test("a configuration that is a FIFO is refused at once, instead of waiting for a writer", () => {
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-config-"));
  try {
    execFileSync("mkfifo", [path.join(cwd, "hotcell.config.json")]);
    expect(() => loadConfig({ env: {}, flags: {}, cwd })).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        message:
          'Could not read the configuration "hotcell.config.json": it is not a regular file. Give a file.',
      }),
    );
  } finally {
    fs.rmSync(cwd, { recursive: true });
  }
});
