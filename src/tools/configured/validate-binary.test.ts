import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import { validateBinary } from "./validate-binary.ts";

let dir: string;
beforeEach(() => {
  dir = tempDir();
});

/** A program, or what looks like one. */
function plant(at: string, mode = 0o755): string {
  const file = path.join(dir, at);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, "#!/bin/sh\n", { mode });
  return file;
}

const blocked = (message: string) => expect.objectContaining({ code: "COMMAND_BLOCKED", message });
const notFound = (message: string) => expect.objectContaining({ code: "NOT_FOUND", message });
const NO_LIST =
  "command tool execution blocked: no allowlist configured. Configure allowed_commands in agent or server config.";

describe("003 command tool allowlist", () => {
  test.each([[null], [undefined], [[]], ["lsblk"], ["ls"], [{ ls: true }]])(
    "No allowlist configured: when allowlist is nil, empty or no list, all binaries are blocked: %j",
    (allowlist) => {
      expect(() => validateBinary("ls", allowlist as never)).toThrow(blocked(NO_LIST));
    },
  );

  test('Binary not in allowlist: binary "rm" not in allowlist', () => {
    expect(() => validateBinary("rm", ["ls"])).toThrow(blocked('binary "rm" not in allowlist'));
  });

  test('Binary not found: binary "custom-tool" not found on system', () => {
    expect(() => validateBinary("custom-tool", ["custom-tool"], dir)).toThrow(
      notFound('binary "custom-tool" not found on system'),
    );
  });

  test("a binary that is in the allowlist and exists is taken", () => {
    const file = plant("bin/tool");
    expect(validateBinary("tool", ["ls", "tool"], `${dir}/none:${dir}/bin`)).toBe(file);
    expect(validateBinary("ls", ["ls"])).toMatch(/^\/.*\/ls$/);
  });

  test.each(["/bin/ls", "./ls", "../ls", "bin/ls", "ls/", "LS", "ls ", " ls", "l", "ls -l", "ls\0", "*", ""])(
    "binary matching is exact basename comparison (no path components): %j",
    (binary) => {
      expect(() => validateBinary(binary, ["ls"])).toThrow(
        expect.objectContaining({ code: "COMMAND_BLOCKED" }),
      );
    },
  );

  test.each(["/bin/ls", "./ls", "../bin/ls"])("a path in the list allows nothing: %j", (listed) => {
    for (const binary of ["ls", listed])
      expect(() => validateBinary(binary, [listed])).toThrow(
        expect.objectContaining({ code: "COMMAND_BLOCKED" }),
      );
  });
});

describe("the system", () => {
  test.each(["", ".", "..", "ls\0"])("has no program %j, even if the list names it", (binary) => {
    expect(() => validateBinary(binary, [binary])).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
  });

  test("is not where this process looks for its programs", () => {
    plant("bin/only-here");
    const before = process.env.PATH;
    process.env.PATH = `${dir}/bin:${before}`;
    try {
      expect(() => validateBinary("only-here", ["only-here"])).toThrow(
        notFound('binary "only-here" not found on system'),
      );
    } finally {
      process.env.PATH = before;
    }
  });

  test("has programs that can be run, and nothing else of the name", () => {
    plant("a/tool", 0o644);
    fs.mkdirSync(path.join(dir, "b/tool"), { recursive: true });
    const file = plant("c/tool");
    expect(validateBinary("tool", ["tool"], `${dir}/a:${dir}/b:${dir}/c`)).toBe(file);
  });

  test("is not the current directory: relative and empty places of a path do not count", () => {
    plant("tool");
    const relative = path.relative(process.cwd(), dir);
    expect(validateBinary("tool", ["tool"], dir)).toBe(`${dir}/tool`);
    expect(() => validateBinary("tool", ["tool"], `:${relative}:.`)).toThrow(
      notFound('binary "tool" not found on system'),
    );
  });

  test("is not the workspace, even where the path or a link leads into it", () => {
    plant("ws/bin/tool");
    fs.mkdirSync(path.join(dir, "bin"));
    fs.symlinkSync(path.join(dir, "ws/bin/tool"), path.join(dir, "bin/tool"));
    const searchPath = `${dir}/ws/bin:${dir}/bin`;
    // Both are found where no workspace is named.
    expect(validateBinary("tool", ["tool"], searchPath)).toBe(`${dir}/ws/bin/tool`);
    expect(validateBinary("tool", ["tool"], `${dir}/bin`)).toBe(`${dir}/bin/tool`);
    expect(() => validateBinary("tool", ["tool"], searchPath, path.join(dir, "ws"))).toThrow(
      notFound('binary "tool" not found on system'),
    );
    const file = plant("ws-beside/tool");
    expect(validateBinary("tool", ["tool"], `${searchPath}:${dir}/ws-beside`, path.join(dir, "ws"))).toBe(
      file,
    );
  });
});
