// 002's acceptance list and testing list, in a project on the host: what is the same in a session stands in test/machine.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openMounts } from "../../../test/kit/worlds/mounts-world.ts";
import { tempDir } from "../../../test/kit/worlds/temp-cell.ts";
import type { JsonObject } from "../../core/json.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const refused = (code: string, message: string | RegExp) => ({
  ok: false,
  error: { code, message: expect.stringMatching(message) },
});

describe("002 acceptance: only mounts are accepted", () => {
  test.each([
    ["@foo/x", 'there is no mount "@foo"; the mounts are @project, @state, @pkg'],
    ["@projectx/x", "there is no mount"],
    ["@project@pkg/x", "there is no mount"],
    ["README.md", "a path must begin with a mount"],
    ["/etc/passwd", "it is absolute"],
    ["C:\\\\x", "a path must begin with a mount"],
    ["@project/../evil.txt", '".." is not allowed'],
    ["@project/src/../README.md", '".." is not allowed'],
    ["@/x", "there is no mount"],
  ])("%s is E_SANDBOX_VIOLATION", async (at, message) => {
    const { call } = await openMounts({}, { "README.md": "x" });
    const found = await call("fs.read", { path: at });
    expect(found).toMatchObject({ ok: false, error: { code: "E_SANDBOX_VIOLATION" } });
    expect((found.error as JsonObject).message).toContain(message);
  });

  test.each(["@project", "@project/", "./@project", "@project/."])("%s is the mount itself", async (at) => {
    const { call } = await openMounts({}, { "README.md": "x" });
    expect(await call("fs.list", { path: at })).toEqual({
      ok: true,
      path: "@project",
      entries: [{ name: "README.md", type: "file", size: 1 }],
      truncated: false,
    });
  });

  test("NUL is refused before the disk is used", async () => {
    const { call } = await openMounts();
    expect(await call("fs.read", { path: "@project/a\0b" })).toMatchObject({
      ok: false,
      error: { code: "E_INVALID_ARGUMENTS" },
    });
  });
});

describe("002 acceptance: links that lead out are refused", () => {
  test("for reads and writes, with the mount's name and nothing of the target", async () => {
    const { call, root } = await openMounts();
    const outside = tempDir();
    fs.writeFileSync(path.join(outside, "secret.txt"), "CANARY");
    fs.symlinkSync(path.join(outside, "secret.txt"), path.join(root, "link"));
    expect(fs.readFileSync(path.join(root, "link"), "utf8")).toBe("CANARY");
    const read = await call("fs.read", { path: "@project/link" });
    expect(read).toEqual(refused("E_SANDBOX_VIOLATION", "@project/link"));
    expect(JSON.stringify(read)).not.toContain(outside);
    expect(await call("fs.write", { path: "@project/link", content: "x" })).toEqual(
      refused("E_SANDBOX_VIOLATION", "@project/link"),
    );
    expect(fs.readFileSync(path.join(outside, "secret.txt"), "utf8")).toBe("CANARY");
  });

  test("from one mount into another too", async () => {
    const { call, root, pkg } = await openMounts();
    fs.symlinkSync(pkg, path.join(root, "p"));
    expect(await call("fs.read", { path: "@project/p/pkg.txt" })).toEqual(refused("E_SANDBOX_VIOLATION", ""));
    expect(await call("fs.write", { path: "@project/p/x", content: "x" })).toEqual(
      refused("E_SANDBOX_VIOLATION", ""),
    );
    expect(fs.readdirSync(pkg)).toEqual(["pkg.txt"]);
  });
});

describe("002 acceptance: permissions of mounts", () => {
  test("@pkg is read, and refuses writes and patches", async () => {
    const { call, pkg } = await openMounts();
    expect(await call("fs.read", { path: "@pkg/pkg.txt" })).toMatchObject({ content: "of the package\n" });
    expect(await call("fs.write", { path: "@pkg/x", content: "x" })).toEqual(
      refused("E_SANDBOX_VIOLATION", '"@pkg/x": its mount is read-only'),
    );
    expect(fs.readdirSync(pkg)).toEqual(["pkg.txt"]);
  });

  test("@state is one per run: a cell of the same run goes on with it, another run has its own", async () => {
    const first = await openMounts({ run: "run-1" });
    expect(await first.call("fs.write", { path: "@state/notes.md", content: "kept" })).toMatchObject({
      ok: true,
      path: "@state/notes.md",
    });
    await first.cell.close();
    const { root, stateDir } = first;
    const again = await openMounts({ run: "run-1", workspace: root, stateDir });
    expect(await again.call("fs.read", { path: "@state/notes.md" })).toMatchObject({ content: "kept" });
    const other = await openMounts({ run: "run-2", workspace: root, stateDir });
    expect(await other.call("fs.read", { path: "@state/notes.md" })).toEqual(
      refused("ENOENT", "@state/notes.md"),
    );
    expect(fs.readdirSync(root)).toEqual([]);
  });

  test.each(["@state/logs", "@state/logs/execution.jsonl", "@state/LOGS/x", "@state/logs./x"])(
    "%s is the log's: no tool lists, reads or writes it",
    async (at) => {
      const { call } = await openMounts();
      expect(await call("fs.write", { path: at, content: "x" })).toEqual(
        refused("E_SANDBOX_VIOLATION", "reserved"),
      );
      expect(await call("fs.read", { path: at })).toEqual(refused("E_SANDBOX_VIOLATION", "reserved"));
      expect(await call("fs.list", { path: "@state" })).toMatchObject({ entries: [] });
    },
  );

  test("secrets are refused in every mount", async () => {
    const { call, pkg } = await openMounts({}, { ".env": "KEY=1" });
    fs.writeFileSync(path.join(pkg, ".env"), "KEY=2");
    for (const at of ["@project/.env", "@pkg/.env", "@state/.env"])
      expect(await call("fs.read", { path: at })).toEqual(refused("E_SANDBOX_VIOLATION", "protected"));
  });

  test.each<
    [
      string,
      (at: { root: string; stateDir: string }) => Record<string, { path: string; access?: "ro" | "rw" }>,
      string,
    ]
  >([
    [
      "the state directory",
      ({ stateDir }) => ({ all: { path: stateDir } }),
      "the state directory contains the other",
    ],
    [
      "what the state directory is in",
      ({ stateDir }) => ({ all: { path: path.dirname(stateDir) } }),
      "contains the other",
    ],
    ["the project, which rules are about", ({ root }) => ({ twice: { path: root } }), "use @project"],
    [
      "a directory of the project",
      ({ root }) => ({ part: { path: path.join(root, "d"), access: "rw" } }),
      "use @project",
    ],
    ["a name that is taken", ({ root }) => ({ state: { path: root } }), "hotcell already has a mount"],
    ["@pkg that can be written", ({ root }) => ({ pkg: { path: root, access: "rw" } }), "read-only"],
    [
      "an access that is none",
      () => ({ x: { path: "/usr", access: "RO" as "ro" } }),
      'allowed are "ro", "rw"',
    ],
    ["nothing", () => ({ x: { path: "/no/such/directory" } }), "is not a readable directory"],
  ])("a mount of %s is refused, and leaves nothing open", async (_, mountsOf, message) => {
    const { cell, root, stateDir } = await openMounts({}, { "d/f": "" });
    await cell.close();
    const before = fs.readdirSync("/proc/self/fd").length;
    await expect(
      openMounts({ workspace: root, stateDir, mounts: mountsOf({ root, stateDir }) }),
    ).rejects.toThrow(message);
    expect(fs.readdirSync("/proc/self/fd").length).toBe(before);
  });

  test("a mount that comes to lead elsewhere while it is opened is judged by what was opened", async () => {
    const { stateDir, root } = await openMounts();
    const link = path.join(tempDir(), "link");
    fs.symlinkSync(stateDir, link);
    await expect(openMounts({ workspace: root, stateDir, mounts: { x: { path: link } } })).rejects.toThrow(
      "contains the other",
    );
  });
});

describe("fs.list", () => {
  test("leaves out hidden entries and links", async () => {
    const { call, root } = await openMounts({}, { "b.ts": "12", ".hidden": "", "a/c": "" });
    fs.symlinkSync("b.ts", path.join(root, "link"));
    expect(await call("fs.list", { path: "@project" })).toMatchObject({
      entries: [
        { name: "a", type: "directory" },
        { name: "b.ts", type: "file", size: 2 },
      ],
    });
  });

  test("of more than 200 entries gives the first ones, truncated, with a hint", async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`f${index}`, ""]));
    const { call } = await openMounts({}, many);
    const { entriesPreview, ...rest } = await call("fs.list", { path: "@project" });
    expect(rest).toEqual({
      ok: true,
      path: "@project",
      total: 201,
      truncated: true,
      hint: "Only the first 200 of 201 entries are shown. List a subdirectory, or use fs.search.",
    });
    expect((entriesPreview as unknown[]).length).toBe(200);
  });
});

describe("fs.read", () => {
  const TEXT = "one\ntwo\r\nthree\n";

  test("gives the file byte for byte, with its size and hash", async () => {
    const { call } = await openMounts({}, { "a.txt": TEXT });
    expect(await call("fs.read", { path: "@project/a.txt" })).toEqual({
      ok: true,
      path: "@project/a.txt",
      content: TEXT,
      bytes: TEXT.length,
      sha256: sha256(TEXT),
      truncated: false,
    });
  });

  test.each([
    [{ startLine: 2, endLine: 3 }, "two\r\nthree"],
    [{ startLine: 3 }, "three"],
    [{ endLine: 1 }, "one"],
    [{ startLine: 9 }, ""],
  ])("002 acceptance: with %j gives that window, and the hash of the whole", async (range, content) => {
    const { call } = await openMounts({}, { "a.txt": TEXT });
    expect(await call("fs.read", { path: "@project/a.txt", ...range })).toMatchObject({
      content,
      sha256: sha256(TEXT),
      bytes: TEXT.length,
      truncated: false,
    });
  });

  test("endLine before startLine is E_INTERNAL", async () => {
    const { call } = await openMounts({}, { "a.txt": TEXT });
    expect(await call("fs.read", { path: "@project/a.txt", startLine: 3, endLine: 2 })).toEqual(
      refused("E_INTERNAL", "endLine 2 is before startLine 3"),
    );
  });

  test("002 testing: a large file is truncated at 50,000 bytes, and the hint says how to go on", async () => {
    const text = "0123456789\n".repeat(10_000);
    const { call } = await openMounts({}, { "big.txt": text });
    const { contentPreview, hint, ...rest } = await call("fs.read", { path: "@project/big.txt" });
    expect(contentPreview).toBe(text.slice(0, 50_000));
    expect(hint).toContain("startLine");
    expect(rest).toEqual({
      ok: true,
      path: "@project/big.txt",
      bytes: 110_000,
      sha256: sha256(text),
      truncated: true,
    });
  });

  test("text that takes too much room as JSON is cut where its hint goes on, until all is read", async () => {
    const text = `${"\x01".repeat(99)}\n`.repeat(9000);
    const { call } = await openMounts(
      { agents: { a: { maxReadBytes: 1024 ** 2 } }, agentId: "a" },
      { f: text },
    );
    const { contentPreview, hint, ...about } = await call("fs.read", { path: "@project/f" });
    expect(about).toMatchObject({ ok: true, truncated: true, sha256: sha256(text) });
    expect(text.startsWith(contentPreview as string)).toBe(true);
    expect(hint).toContain("Give startLine and endLine");
    const parts: string[] = [];
    for (let startLine = 1; startLine > 0; ) {
      const part = await call("fs.read", { path: "@project/f", startLine });
      parts.push((part.content ?? part.contentPreview) as string);
      startLine = Number(/Continue with startLine (\d+)/.exec((part.hint ?? "") as string)?.[1] ?? 0);
    }
    expect(parts.length).toBeGreaterThan(1);
    expect(`${parts.join("\n")}\n` === text).toBe(true);
  });

  test("a cut never goes through a character", async () => {
    const { call } = await openMounts({ agents: { a: { maxReadBytes: 4 } }, agentId: "a" }, { u: "aé日本" });
    expect(await call("fs.read", { path: "@project/u" })).toMatchObject({ contentPreview: "aé" });
  });

  test("limits are those of the agent", async () => {
    const { call } = await openMounts(
      { agents: { sm: { maxReadBytes: 5 } }, agentId: "sm" },
      { a: "123456" },
    );
    expect(await call("fs.read", { path: "@project/a" })).toMatchObject({
      contentPreview: "12345",
      truncated: true,
      sha256: sha256("123456"),
    });
  });

  test("an error names the entry in the way by its mount path too", async () => {
    const { call } = await openMounts({}, { "src/a.txt": "x" });
    expect(await call("fs.read", { path: "@project/src/a.txt/b" })).toMatchObject(
      refused(
        "E_INVALID_ARGUMENTS",
        /"@project\/src\/a\.txt\/b": "@project\/src\/a\.txt" is not a directory/,
      ),
    );
  });

  test("nothing there is ENOENT; a directory is no file", async () => {
    const { call } = await openMounts({}, { "d/x": "" });
    expect(await call("fs.read", { path: "@project/none" })).toEqual(refused("ENOENT", '"@project/none"'));
    expect(await call("fs.read", { path: "@project/d" })).toEqual(
      refused("E_INVALID_ARGUMENTS", '"@project/d"'),
    );
    expect(await call("fs.read", { path: "@project" })).toEqual(refused("E_INVALID_ARGUMENTS", '"@project"'));
  });
});

describe("fs.write", () => {
  test("002 testing: is atomic, makes directories, and leaves nothing else behind", async () => {
    const { call, root } = await openMounts();
    expect(await call("fs.write", { path: "@project/new/dir/f.txt", content: "däta" })).toEqual({
      ok: true,
      path: "@project/new/dir/f.txt",
      bytesWritten: 5,
      sha256After: sha256("däta"),
    });
    expect(fs.readFileSync(path.join(root, "new/dir/f.txt"), "utf8")).toBe("däta");
    expect(fs.readdirSync(path.join(root, "new/dir"))).toEqual(["f.txt"]);
  });

  test("002 acceptance: counts bytes, and refuses more than the agent's limit", async () => {
    const { call, root } = await openMounts({ agents: { sm: { maxWriteBytes: 3 } }, agentId: "sm" });
    expect(await call("fs.write", { path: "@project/f", content: "ab" })).toMatchObject({ ok: true });
    expect(await call("fs.write", { path: "@project/f", content: "éé" })).toEqual(
      refused("E_WRITE_LIMIT", "4 bytes, and one call may write 3"),
    );
    expect(fs.readFileSync(path.join(root, "f"), "utf8")).toBe("ab");
  });

  test("002 testing: ifMatchSha256 that does not match is E_PRECONDITION_FAILED, and nothing is written", async () => {
    const { call, root } = await openMounts({}, { f: "old" });
    const write = (ifMatchSha256: string) =>
      call("fs.write", { path: "@project/f", content: "new", ifMatchSha256 });
    expect(await write(sha256("other"))).toEqual(refused("E_PRECONDITION_FAILED", "@project/f"));
    expect(fs.readFileSync(path.join(root, "f"), "utf8")).toBe("old");
    expect(await write(sha256("old").toUpperCase())).toMatchObject({ ok: true });
    expect(fs.readFileSync(path.join(root, "f"), "utf8")).toBe("new");
  });

  test("what leaves hotcell's hands asks, what stays in @state does not", async () => {
    const docs = tempDir();
    const world = await openMounts({ trust: "guided", mounts: { docs: { path: docs, access: "rw" } } });
    expect(world.cell.explain("fs.write", { path: "@docs/x", content: "" }).decision).toBe("ask");
    expect(await world.call("fs.write", { path: "@docs/x", content: "" })).toEqual(refused("E_DENIED", ""));
    expect(fs.readdirSync(docs)).toEqual([]);
  });

  test.each([
    ["deny fs.write(src/**)", 'write "@project/src/**"'],
    ["deny fs.read(/src/**)", 'write "@project/src/**"'],
    ["deny fs.write(@projekt/**)", "the mounts are @project, @state, @pkg"],
  ])("the rule %s, which could never match, is refused", async (rule, message) => {
    await expect(openMounts({ rules: [rule] })).rejects.toThrow(message);
  });

  test("a scope's paths are mount paths too", async () => {
    const permissions = (at: string) => ({
      scope: { permissions: { "fs.read": { allowed: true, paths: [at] } } },
    });
    const { call } = await openMounts(permissions("@project/src"), { "src/a": "1", b: "2" });
    expect(await call("fs.read", { path: "@project/src/a" })).toMatchObject({ ok: true });
    expect(await call("fs.read", { path: "@project/b" })).toEqual(refused("E_DENIED", "@project/b"));
  });

  test("rules are about mount paths", async () => {
    const { cell } = await openMounts({
      rules: ["deny fs.write(@project/src/**)", "allow fs.write(@state/**)"],
    });
    const decided = (at: string) => cell.explain("fs.write", { path: at, content: "" });
    expect(decided("@project/src/a.ts")).toMatchObject({ decision: "deny" });
    expect(decided("./@project/src/a.ts")).toMatchObject({ decision: "deny" });
    expect(decided("@state/a")).toMatchObject({
      decision: "allow",
      rule: { text: "allow fs.write(@state/**)" },
    });
  });
});

describe("limits of an agent", () => {
  test.each([
    [{ maxReadBytes: Number.NaN }, "maxReadBytes"],
    [{ maxMatches: -5 }, "from 1 to 1000"],
    [{ maxReadByte: 5 }, "maxReadBytes"],
    [{ maxEntries: 1e9 }, "from 1 to 10000"],
  ])("%j are refused", async (limits, message) => {
    await expect(openMounts({ agents: { a: limits as object } })).rejects.toThrow(message);
  });

  test("are not got round by asking for more", async () => {
    const { call } = await openMounts(
      { agents: { a: { maxMatches: 3 } }, agentId: "a" },
      { f: "x\n".repeat(9) },
    );
    expect(await call("fs.search", { path: "@project", pattern: "x", maxMatches: 9 })).toMatchObject({
      truncated: true,
      stats: { matches: 3 },
    });
  });

  test("many long matches with much around them are an answer that fits", async () => {
    const line = `${"y".repeat(1900)}x\n`;
    const { call } = await openMounts(
      { agents: { a: { maxMatches: 1000 } }, agentId: "a" },
      { f: line.repeat(1000) },
    );
    const found = await call("fs.search", {
      path: "@project",
      pattern: "x",
      before: 20,
      after: 20,
      maxMatches: 1000,
    });
    expect(found).toMatchObject({
      ok: true,
      truncated: true,
      hint: expect.stringContaining("fewer context lines"),
    });
  });
});

describe("002 acceptance: every call is logged", () => {
  test("in 002's shape, without contents, and refusals with mount, path and reason", async () => {
    const { call, records } = await openMounts({ agentId: "sm" }, { "a.txt": "x".repeat(1000) });
    await call("fs.read", { path: "@project/a.txt" });
    await call("fs.write", { path: "@pkg/a.txt", content: "x" });
    const [read, write] = records().filter(({ kind }) => kind === "tool.exec");
    expect(read).toMatchObject({
      kind: "tool.exec",
      toolCallId: expect.any(String),
      toolName: "fs.read",
      agentId: "sm",
      input: { path: "@project/a.txt" },
      output: { ok: true, bytes: 1000, sha256: sha256("x".repeat(1000)) },
      durationMs: expect.any(Number),
      ts: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(read)).not.toContain("x".repeat(100));
    expect(write).toMatchObject({
      output: {
        ok: false,
        error: {
          code: "E_SANDBOX_VIOLATION",
          details: { path: "@pkg/a.txt", reason: "protected: read-only" },
        },
      },
    });
  });

  test("a tool that is not there and wrong arguments have 002's codes", async () => {
    const { call } = await openMounts();
    expect(await call("fs.nope", {})).toEqual(refused("E_UNKNOWN_TOOL", "fs.nope"));
    expect(await call("fs.read", { path: 7 })).toEqual(refused("E_INVALID_ARGUMENTS", "path"));
  });
});
