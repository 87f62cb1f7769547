import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openMounts } from "../../../test/kit/worlds/mounts-world.ts";
import type { JsonObject } from "../../core/json.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const refused = (code: string, ...words: string[]) => ({
  ok: false,
  error: { code, message: expect.stringMatching(new RegExp(words.join(".*"), "s")) },
});

const WORKFLOW =
  "---\n# where we are\ncurrentNodeId: n1 # first\nstepsCompleted: [a]\n---\n# Body\n---\nkept\n";

async function openPatched(files: Readonly<Record<string, string>>, options = {}) {
  const world = await openMounts(options, files);
  const patch = (at: string, given: JsonObject) => world.call("fs.apply_patch", { path: at, patch: given });
  const content = (name: string) => fs.readFileSync(path.join(world.root, name), "utf8");
  return { ...world, patch, content };
}

describe("updateFrontmatter", () => {
  test("002 testing: changes fields, and keeps comments and body byte for byte", async () => {
    const { patch, call } = await openPatched({});
    await call("fs.write", { path: "@state/workflow.md", content: WORKFLOW });
    const update = {
      stepsCompleted: { append: ["b", "a"] },
      variables: { set: { k: "v" } },
      decisionLog: { append: [{ why: "x" }] },
      artifacts: { append: ["out.md"] },
      currentNodeId: { set: "n2" },
      updatedAt: { set: "2026-01-03T00:00:00Z" },
    };
    const done = await patch("@state/workflow.md", { operation: "updateFrontmatter", update });
    const { content } = await call("fs.read", { path: "@state/workflow.md" });
    expect(content).toBe(
      [
        "---",
        "# where we are",
        "currentNodeId: n2 # first",
        "stepsCompleted: [a, b]",
        "variables:",
        "  k: v",
        "decisionLog:",
        "  - why: x",
        "artifacts:",
        "  - out.md",
        'updatedAt: "2026-01-03T00:00:00Z"',
        "---",
        "# Body",
        "---",
        "kept",
        "",
      ].join("\n"),
    );
    expect(done).toEqual({
      ok: true,
      path: "@state/workflow.md",
      sha256Before: sha256(WORKFLOW),
      sha256After: sha256(content as string),
    });
  });

  test.each([
    ["---\na: [\n---\n", "YAML that can't be read"],
    ["---js\nprocess.exit()\n---\n", "a language that is not YAML"],
  ])("of %j is E_INVALID_FRONTMATTER: %s", async (text) => {
    const { patch, content } = await openPatched({ "w.md": text });
    const update = { currentNodeId: { set: "n" } };
    expect(await patch("@project/w.md", { operation: "updateFrontmatter", update })).toEqual(
      refused("E_INVALID_FRONTMATTER"),
    );
    expect(content("w.md")).toBe(text);
  });

  test.each([
    [{ currentNode: { set: "n" } }, "currentNode"],
    [{ stepsCompleted: { append: [1] } }, "stepsCompleted"],
    [{ stepsCompleted: { set: [] } }, "append"],
    [{}, "update"],
  ])("with the update %j is E_INVALID_ARGUMENTS that names the field", async (update, word) => {
    const { patch } = await openPatched({ "w.md": WORKFLOW });
    expect(await patch("@project/w.md", { operation: "updateFrontmatter", update })).toEqual(
      refused("E_INVALID_ARGUMENTS", word),
    );
  });
});

describe("unifiedDiff", () => {
  const TEXT = "one\ntwo\nthree\n";

  test("fits exactly", async () => {
    const { patch, content } = await openPatched({ f: TEXT });
    const diff = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    expect(await patch("@project/f", { operation: "unifiedDiff", diff })).toMatchObject({ ok: true });
    expect(content("f")).toBe("one\n2\nthree\n");
  });

  const HUNK = "@@ -2 +2 @@\n-two\n+2\n";
  test.each([
    ["--- a/src/f", "+++ b/src/f"],
    ["--- src/f", "+++ src/f"],
    ["--- f.orig\t2024-01-01", "+++ f\t2024-01-02"],
    ["--- @project/src/f", "+++ @project/src/f"],
    ["--- /home/me/project/src/f", "+++ /home/me/project/src/f"],
    ["--- /dev/null", "+++ b/src/f"],
    ['--- "a/src/f"', '+++ "b/src/f"'],
  ])("whose header names the file is applied: %j, %j", async (...header) => {
    const { patch, content } = await openPatched({ "src/f": TEXT });
    const diff = `${header.join("\n")}\n${HUNK}`;
    expect(await patch("@project/src/f", { operation: "unifiedDiff", diff })).toMatchObject({ ok: true });
    expect(content("src/f")).toBe("one\n2\nthree\n");
  });

  test.each([
    ["--- a/other", "+++ b/other", 'Could not patch "@project/src/f": the patch is for "b/other"\\.'],
    ["--- a/lib/f", "+++ b/lib/f", 'the patch is for "b/lib/f"'],
    ["--- /elsewhere/f", "+++ /elsewhere/f", 'the patch is for "/elsewhere/f"'],
    ["--- /dev/null", "+++ b/other", 'the patch is for "b/other"'],
    ["--- a/src/f", "+++ /dev/null", "the patch deletes the file.*No fs tool deletes a file"],
  ])("whose header names another file, or none, is refused: %j, %j", async (old, new_, why) => {
    const { patch, content } = await openPatched({ "src/f": TEXT });
    const diff = `${old}\n${new_}\n${HUNK}`;
    expect(await patch("@project/src/f", { operation: "unifiedDiff", diff })).toEqual(
      refused("E_PRECONDITION_FAILED", why),
    );
    expect(content("src/f")).toBe(TEXT);
  });

  const ADDED = "@@ -0,0 +1,2 @@\n+new\n+lines\n";
  const NEW_FILE = `--- /dev/null\n+++ b/f\n${ADDED}`;
  test.each([
    ["from /dev/null", NEW_FILE],
    ["from /dev/null at a time", NEW_FILE.replace("null", "null\t1970-01-01 00:00:00 +0000")],
    ["with a mode", `diff --git a/f b/f\nnew file mode 100644\nindex 0000000..1234567\n${NEW_FILE}`],
  ])("that makes a new file, %s, is refused where one is, and where none is", async (_, diff) => {
    const { patch, content } = await openPatched({ f: TEXT });
    expect(await patch("@project/f", { operation: "unifiedDiff", diff })).toEqual(
      refused("E_PRECONDITION_FAILED", "the patch creates a new file, but the file exists", "fs.write"),
    );
    expect(content("f")).toBe(TEXT);
    const other = diff.replaceAll("b/f", "b/none");
    expect(await patch("@project/none", { operation: "unifiedDiff", diff: other })).toEqual(
      refused("ENOENT", '"@project/none": the patch creates a new file', "Create it with fs.write"),
    );
  });

  test.each(["@project\\src\\f", "/@project/src/f"])(
    "whose header names the file is applied to %s",
    async (at) => {
      const { patch, content } = await openPatched({ "src/f": TEXT });
      const diff = `--- a/src/f\n+++ b/src/f\n${HUNK}`;
      expect(await patch(at, { operation: "unifiedDiff", diff })).toMatchObject({ path: "@project/src/f" });
      expect(content("src/f")).toBe("one\n2\nthree\n");
    },
  );

  test("that makes a new file fills an empty one", async () => {
    const { patch, content } = await openPatched({ f: "" });
    expect(await patch("@project/f", { operation: "unifiedDiff", diff: NEW_FILE })).toMatchObject({
      ok: true,
    });
    expect(content("f")).toBe("new\nlines\n");
  });

  test("for a file that is not there, with old lines, is ENOENT", async () => {
    const { patch } = await openPatched({});
    expect(await patch("@project/f", { operation: "unifiedDiff", diff: HUNK })).toEqual(
      refused("ENOENT", "nothing is there"),
    );
  });

  test("that does not fit names the hunk and the line, and changes nothing", async () => {
    const { patch, content } = await openPatched({ f: TEXT });
    const diff = "@@ -1,3 +1,3 @@\n one\n-zwei\n+2\n three\n";
    expect(await patch("@project/f", { operation: "unifiedDiff", diff })).toEqual(
      refused("E_PRECONDITION_FAILED", "hunk 1", "line 2", "zwei", "two"),
    );
    expect(content("f")).toBe(TEXT);
  });
});

describe("replace", () => {
  test("puts the new text in the place of the one old one, dollars and all", async () => {
    const { patch, content } = await openPatched({ f: "a b c" });
    await patch("@project/f", { operation: "replace", oldText: "b", newText: "$&" });
    expect(content("f")).toBe("a $& c");
  });

  test.each([
    ["x", "not"],
    ["a", "2"],
  ])("of %j is refused when it does not exist exactly once", async (oldText, word) => {
    const { patch, content } = await openPatched({ f: "a b a" });
    expect(await patch("@project/f", { operation: "replace", oldText, newText: "" })).toEqual(
      refused("E_PRECONDITION_FAILED", word),
    );
    expect(content("f")).toBe("a b a");
  });
});

describe("every patch", () => {
  const replace = { operation: "replace", oldText: "old", newText: "new" };

  test("002 testing: ifMatchSha256 that does not match is E_PRECONDITION_FAILED", async () => {
    const { patch, content } = await openPatched({ f: "old" });
    expect(await patch("@project/f", { ...replace, ifMatchSha256: sha256("other") })).toEqual(
      refused("E_PRECONDITION_FAILED", "@project/f"),
    );
    expect(await patch("@project/f", { ...replace, ifMatchSha256: null })).toEqual(
      refused("E_PRECONDITION_FAILED", "null"),
    );
    expect(content("f")).toBe("old");
    expect(await patch("@project/f", { ...replace, ifMatchSha256: sha256("old") })).toMatchObject({
      ok: true,
    });
  });

  test("is refused on a read-only mount", async () => {
    const { patch } = await openPatched({});
    expect(await patch("@pkg/pkg.txt", replace)).toEqual(refused("E_SANDBOX_VIOLATION", "read-only"));
  });

  test("002 acceptance: keeps to the agent's limit of a write", async () => {
    const { patch } = await openPatched({ f: "old" }, { agents: { a: { maxWriteBytes: 4 } }, agentId: "a" });
    expect(await patch("@project/f", { ...replace, newText: "12345" })).toEqual(
      refused("E_WRITE_LIMIT", "it has 3 bytes, and would have 5; the agent's maxWriteBytes is 4"),
    );
  });

  test("that makes a file too large does not advise itself", async () => {
    const { patch } = await openPatched({ f: `old${"x".repeat(100_000)}` });
    const { error } = await patch("@project/f", replace);
    expect((error as JsonObject).message).toBe(
      'Could not patch "@project/f": it has 100003 bytes, and would have 100003; the agent\'s maxWriteBytes is 100000.',
    );
  });

  test("of a file that is too large to be read whole names its size and the limit, and no range of lines", async () => {
    const { patch } = await openPatched({ f: `old${"x".repeat(2_000_000)}` });
    expect(await patch("@project/f", replace)).toMatchObject({
      error: {
        code: "E_READ_LIMIT",
        message:
          'Could not patch "@project/f": it has 2000003 bytes, and fs.apply_patch changes no file larger than 1048576.',
      },
    });
  });

  test("of what is no UTF-8 text is refused, not mangled", async () => {
    const { patch, root } = await openPatched({});
    const bytes = Buffer.from([0x6f, 0x6c, 0x64, 0xff]);
    fs.writeFileSync(path.join(root, "f"), bytes);
    const answer = await patch("@project/f", replace);
    expect(answer).toEqual(refused("E_PRECONDITION_FAILED", "UTF-8", "a command that works on bytes"));
    expect(JSON.stringify(answer)).not.toContain("fs.write");
    expect(fs.readFileSync(path.join(root, "f"))).toEqual(bytes);
  });

  test("that lacks what its operation needs is E_INVALID_ARGUMENTS that names it", async () => {
    const { patch } = await openPatched({ f: "old" });
    expect(await patch("@project/f", { operation: "replace", oldText: "old" })).toEqual(
      refused("E_INVALID_ARGUMENTS", "patch.newText"),
    );
    expect(await patch("@project/f", { operation: "rewrite" })).toEqual(refused("E_INVALID_ARGUMENTS"));
  });
});
