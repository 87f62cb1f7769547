import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { makeDiffWorld } from "../../../test/kit/worlds/diff-world.ts";
import { directory, file, type Planted, symlink } from "../../../test/kit/worlds/planted-tree.ts";
import { LIMITS } from "../../core/limits.ts";
import { quotePath } from "./quote-path.ts";
import { patchText, statText, unifiedText } from "./render.ts";

type Tree = Record<string, Planted>;

/** All three texts; the patch with one character for each byte. */
function rendered(before: Tree, after: Tree, spoil: (after: string) => void = () => {}) {
  const world = makeDiffWorld(new Map(Object.entries(before)), new Map(Object.entries(after)));
  try {
    spoil(world.after);
    world.makeLayer("call-1");
    const changes = world.diff(["call-1"]);
    return {
      stat: statText(changes),
      unified: unifiedText(changes),
      patch: world.patch(changes).toString("latin1"),
    };
  } finally {
    world.remove();
  }
}

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join("");

describe("unified text and patch", () => {
  test.each<[what: string, before: Tree, after: Tree, lines: string[]]>([
    [
      "an edit with another mode",
      { x: file("1\n2\n") },
      { x: file("1\n3", 0o755) },
      [
        "diff --git a/x b/x",
        "old mode 100644",
        "new mode 100755",
        "--- a/x",
        "+++ b/x",
        "@@ -1,2 +1,2 @@",
        " 1",
        "-2",
        "+3",
        "\\ No newline at end of file",
      ],
    ],
    [
      "a new file, a new empty one and a removed one",
      { gone: file("1\n") },
      { empty: file(""), new: file("2\n", 0o755) },
      [
        "diff --git a/empty b/empty",
        "new file mode 100644",
        "diff --git a/gone b/gone",
        "deleted file mode 100644",
        "--- a/gone",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-1",
        "diff --git a/new b/new",
        "new file mode 100755",
        "--- /dev/null",
        "+++ b/new",
        "@@ -0,0 +1 @@",
        "+2",
      ],
    ],
    [
      "a renamed file with another mode",
      { "a b": file("1\n") },
      { c: file("1\n", 0o755) },
      [
        "diff --git a/a b b/c",
        "old mode 100644",
        "new mode 100755",
        "similarity index 100%",
        "rename from a b",
        "rename to c",
      ],
    ],
    [
      "a link that leads elsewhere, in a name with a blank",
      { "a b": symlink("x") },
      { "a b": symlink("y") },
      [
        "diff --git a/a b b/a b",
        "--- a/a b\t",
        "+++ b/a b\t",
        "@@ -1 +1 @@",
        "-x",
        "\\ No newline at end of file",
        "+y",
        "\\ No newline at end of file",
      ],
    ],
    [
      "a file that became a link",
      { x: file("1\n") },
      { x: symlink("y") },
      [
        "diff --git a/x b/x",
        "deleted file mode 100644",
        "--- a/x",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-1",
        "diff --git a/x b/x",
        "new file mode 120000",
        "--- /dev/null",
        "+++ b/x",
        "@@ -0,0 +1 @@",
        "+y",
        "\\ No newline at end of file",
      ],
    ],
    [
      "a name that needs quotes",
      { 'é"\n\uDCFF': file("1") },
      { 'é"\n\uDCFF': file("1", 0o755) },
      [
        'diff --git "a/\\303\\251\\"\\n\\377" "b/\\303\\251\\"\\n\\377"',
        "old mode 100644",
        "new mode 100755",
      ],
    ],
  ])("are the same for %s", (_, before, after, lines) => {
    const { unified, patch } = rendered(before, after);
    expect(unified).toBe(text(...lines));
    expect(patch).toBe(text(...lines));
  });

  test("a patch has the bytes of a text that is not UTF-8", () => {
    expect(rendered({}, { x: file("caf\xe9\r\n") }).patch).toBe(
      text(
        "diff --git a/x b/x",
        "new file mode 100644",
        "--- /dev/null",
        "+++ b/x",
        "@@ -0,0 +1 @@",
        "+caf\xe9\r",
      ),
    );
  });

  test("a patch leaves out what git does not keep, and the unified text shows it", () => {
    const { unified, patch } = rendered(
      { d: directory(), mode: file("1", 0o644), x: file("1\n", 0o755) },
      {
        d: directory(0o1700),
        empty: directory(),
        mode: file("1", 0o600),
        x: file("2\n", 0o6755),
        "new/y": file(""),
      },
      (after) => execFileSync("mkfifo", ["-m", "644", `${after}/pipe`]),
    );
    const lines = ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-1", "+2"];
    expect(unified).toBe(
      text(
        ...["diff --git a/d b/d", "old mode 040755", "new mode 041700"],
        ...["diff --git a/empty b/empty", "new directory mode 040755"],
        ...["diff --git a/mode b/mode", "old mode 100644", "new mode 100600"],
        ...["diff --git a/new/y b/new/y", "new file mode 100644"],
        ...["diff --git a/pipe b/pipe", "new fifo mode 010644"],
        ...["diff --git a/x b/x", "old mode 100755", "new mode 106755", ...lines],
      ),
    );
    expect(patch).toBe(
      text("diff --git a/new/y b/new/y", "new file mode 100644", "diff --git a/x b/x", ...lines),
    );
  });

  test("a binary file is named in the unified text and whole in the patch, there and back", () => {
    const { unified, patch } = rendered({ x: file("\0") }, { x: file("\0\x01\x02") });
    expect(unified).toBe(text("diff --git a/x b/x", "Binary files a/x and b/x differ"));
    const ids = "f76dd238ade08917e6712764a16a22005a50573d..8352675d67aed6625ece79af41c27fdb4ee2e867";
    const packed = String.raw`[A-Za-z]\S+\n\n`;
    expect(patch).toMatch(
      new RegExp(
        `^diff --git a/x b/x\nindex ${ids}\nGIT binary patch\nliteral 3\n${packed}literal 1\n${packed}$`,
      ),
    );
  });

  test("a file that is too large to show is said to be, and is whole in the patch", () => {
    const large = "line\n".repeat(LIMITS.maxDiffFileBytes / 5 + 1);
    const { stat, unified, patch } = rendered({ x: file(large) }, { x: file(`${large}!`) });
    const sizes = `${large.length} -> ${large.length + 1} bytes`;
    expect(stat).toBe(` x | too large to show, ${sizes}\n 1 changed, 0 lines added, 0 lines removed\n`);
    expect(unified).toBe(text("diff --git a/x b/x", `File x is too large to show: ${sizes}`));
    expect(patch).toContain(`GIT binary patch\nliteral ${large.length + 1}\n`);
  });
});

describe("a patch", () => {
  test("of a file above the limit is refused", () => {
    const size = LIMITS.maxPatchFileBytes + 1;
    expect(() => rendered({}, { x: file("1") }, (after) => fs.truncateSync(`${after}/x`, size))).toThrow(
      `Could not put "x" into a patch: it has ${size} bytes, the limit is ${LIMITS.maxPatchFileBytes}. Exclude it, or commit it.`,
    );
  });

  test("of nothing is empty", () => {
    const read = () => Buffer.from("never read");
    expect([...patchText([], { before: { read }, after: { read } })]).toEqual([]);
  });
});

describe("the stat", () => {
  test("has a line for each change and their sum", () => {
    const { stat } = rendered(
      {
        edited: file("1\n2\n"),
        gone: file("1\n"),
        link: symlink("a"),
        mode: file("m"),
        moved: file("moved"),
        type: file(""),
      },
      {
        edited: file("1\n3\n4\n", 0o755),
        "new/empty": file(""),
        bin: file("\0"),
        link: symlink("b"),
        mode: file("m", 0o4755),
        é: file("moved"),
        type: directory(),
        dir: directory(),
      },
    );
    expect(stat).toBe(
      text(
        " bin                 | new file, binary, 0 -> 1 bytes",
        " dir/                | new directory",
        " edited              | mode 644 -> 755, 3 ++-",
        " gone                | deleted file, 1 -",
        " link                | symlink target changed",
        " mode                | mode 644 -> 4755",
        " new/empty           | new file",
        " type/               | file -> directory",
        ' moved => "\\303\\251" | renamed',
        " 9 changed, 2 lines added, 2 lines removed",
      ),
    );
  });

  test("keeps long bars and names within the screen", () => {
    const long = "n".repeat(80);
    const { stat } = rendered(
      { a: file("x\n".repeat(100)) },
      { a: file("y\n".repeat(300)), [long]: file("1\n") },
    );
    expect(stat).toBe(
      text(
        ` ${"a".padEnd(60)} | 400 ${"+".repeat(30)}${"-".repeat(10)}`,
        ` ${long} | new file, 1 +`,
        " 2 changed, 301 lines added, 100 lines removed",
      ),
    );
  });

  test("of nothing says so", () => expect(statText([])).toBe(" 0 changed, 0 lines added, 0 lines removed\n"));
});

test.each<[path: string, quoted: string]>([
  ["plain/path.ts", "plain/path.ts"],
  ["with blank", "with blank"],
  ["blank /slash", '"blank /slash"'],
  ["it's#!~", "it's#!~"],
  ['q"', '"q\\""'],
  ["back\\slash", '"back\\\\slash"'],
  ["\u0001\u0007\b\t\n\v\f\r\u007f", '"\\001\\a\\b\\t\\n\\v\\f\\r\\177"'],
  ["é\uDCFF", '"\\303\\251\\377"'],
])("%j is quoted as %s", (path, quoted) => expect(quotePath(path)).toBe(quoted));
