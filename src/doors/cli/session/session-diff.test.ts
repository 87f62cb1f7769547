import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openSessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";
import type { WorkspaceFS } from "../../../workspace/files/workspace-fs.ts";

const CALLS = {
  c1: (w: WorkspaceFS) => w.write("a", "one\nthree\n"),
  c2: (w: WorkspaceFS) => {
    w.write("a", "one\nthree\nfour\n");
    w.write("new", "\u001b[2J\n");
  },
};

const A = `diff --git a/a b/a
--- a/a
+++ b/a
@@ -1,2 +1,3 @@
 one
-two
+three
+four
`;

const open = () => openSessionCliWorld({ a: "one\ntwo\n", z: "z\n" }, CALLS);

describe("hotcell session diff", () => {
  test("is unified text that does nothing to a terminal", async () => {
    const { run, id } = await open();
    expect(await run(["session", "diff", id])).toEqual({
      code: 0,
      out: `${A}diff --git a/new b/new
new file mode 100644
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+\\u{1b}[2J
`,
      err: "",
    });
  });

  test("has colours in a terminal, unless NO_COLOR is set", async () => {
    const { run, id, stateDir } = await open();
    const diff = async (env: object) =>
      (
        await run(["session", "diff", id], {
          outIsTerminal: true,
          env: { HOTCELL_STATE_DIR: stateDir, ...env },
        })
      ).out;
    expect(await diff({})).toContain("\u001b[31m-two\u001b[m\n\u001b[32m+three\u001b[m\n");
    expect(await diff({ NO_COLOR: "1" })).not.toContain("\u001b");
  });

  test("of a session without changes says so instead of nothing", async () => {
    const { run, id } = await openSessionCliWorld({ a: "a\n" });
    for (const how of [[], ["--patch"]])
      expect(await run(["session", "diff", id, ...how])).toEqual({
        code: 0,
        out: "",
        err: `Session ${id} has no changes to review.\n`,
      });
  });

  test("--stat has one line for each change", async () => {
    const { run, id } = await open();
    expect((await run(["session", "diff", id, "--stat"])).out).toBe(
      ` a   | 3 ++-\n new | new file, 1 +\n 2 changed, 3 lines added, 1 line removed\n`,
    );
  });

  test("--json is one document with hunks and the calls that made each change", async () => {
    const { run, id } = await open();
    const { out } = await run(["session", "diff", id, "--json"]);
    const hunk = { id: expect.stringMatching(/^[0-9a-f]{40}$/) };
    expect(JSON.parse(out)).toEqual({
      session: id,
      ignored: 0,
      changes: [
        {
          path: "a",
          kind: "modified",
          binary: false,
          added: 2,
          removed: 1,
          hunks: [{ ...hunk, header: "@@ -1,2 +1,3 @@", lines: [" one", "-two", "+three", "+four"] }],
          calls: ["c1", "c2"],
        },
        {
          path: "new",
          kind: "added",
          binary: false,
          added: 1,
          removed: 0,
          hunks: [{ ...hunk, header: "@@ -0,0 +1 @@", lines: ["+\u001b[2J"] }],
          calls: ["c2"],
        },
      ],
    });
    expect(out).not.toContain("\u001b");
  });

  test("--json shows names that are not UTF-8 as commit takes them", async () => {
    const { run, id } = await openSessionCliWorld(
      { a: "a\n" },
      {
        c1: (w) => {
          w.write("caf\udce9", "x\n");
          w.rename("a", "b\udcff");
        },
      },
    );
    const { changes } = JSON.parse((await run(["session", "diff", id, "--json"])).out);
    expect(changes.map(({ path, from }: { path: string; from?: string }) => [path, from])).toEqual([
      ["b\\xff", "a"],
      ["caf\\xe9", undefined],
    ]);
    const { out } = await run(["session", "commit", id, "caf\\xe9", "--yes", "--json"]);
    expect(JSON.parse(out).committed).toEqual(["caf\\xe9"]);
  });

  test("--patch is the bytes as they are", async () => {
    const { run, id } = await open();
    const { out } = await run(["session", "diff", id, "--patch"]);
    expect(out.startsWith(A)).toBe(true);
    expect(out).toContain("+\u001b[2J\n");
  });

  test("--patch leaves out what is in .git, where git apply would refuse all of it, and says so", async () => {
    const world = await openSessionCliWorld({ a: "a\n" }, { c1: (w) => w.write("a", "b\n") });
    const { run, id } = world;
    const session = await world.open();
    // As a command does: tools may not write there.
    await session.change({ id: "c2", tool: "run_command" }, async () => {
      for (const at of [".git/index", "sub/.git/HEAD"]) {
        const file = `/proc/self/fd/${session.view.fd}/${at}`;
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, "1\n");
      }
    });
    session.close();
    const { code, out, err } = await run(["session", "diff", id, "--patch"]);
    expect([code, out]).toEqual([0, "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n"]);
    expect(err).toContain(
      `not in the patch: 2 changes in .git, which git apply does not accept. To commit them, confirm them separately: hotcell session commit ${id} --protected\n`,
    );
    expect((await run(["session", "diff", id])).err).not.toContain("left out");
  });

  test("--patch ends when nobody reads it any more", async () => {
    const { run, id } = await open();
    const pieces: (string | Uint8Array)[] = [];
    const out = (text: string | Uint8Array) => pieces.push(text) > 1;
    expect(await run(["session", "diff", id, "--patch"], { out })).toEqual({ code: 0, out: "", err: "" });
    expect(pieces.map(String)).toEqual([A]);
  });

  test.each([
    ["c1", "-two", "+three"],
    ["1", "-two", "+three"],
    ["#1", "-two", "+three"],
    ["2", " three", "+four"],
  ])("--call %s has only what that call changed", async (call, ...lines) => {
    const { run, id } = await open();
    const { out } = await run(["session", "diff", id, "--call", call]);
    expect(out.match(/^[-+ ](?![-+]{2} ).*$/gm)?.slice(1, 3)).toEqual(lines);
  });

  test("a call that the session does not have, and two formats at once, are exit 2", async () => {
    const { run, id } = await open();
    expect(await run(["session", "diff", id, "--call", "9"])).toMatchObject({
      code: 2,
      err: expect.stringContaining('The session has no call "#9"'),
    });
    expect(await run(["session", "diff", id, "--stat", "--patch"])).toMatchObject({
      code: 2,
      out: "",
      err: "hotcell: --stat, --patch and --json exclude each other. Use one of them.\n",
    });
  });

  test("works while somebody has the session open", async () => {
    const world = await open();
    const session = await world.open();
    const { code, out } = await world.run(["session", "diff", world.id]);
    session.close();
    expect([code, out.startsWith(A)]).toEqual([0, true]);
  });

  test("shows apart what needs confirmation, and what speaks of secrets", async () => {
    const { run, id } = await openSessionCliWorld(
      { "package.json": "{}\n", "x/package.json": "{}\n" },
      {
        c1: (w) => {
          w.mkdir(".github/workflows");
          w.write(".github/workflows/ci.yml", "on: push\n");
          w.write("package.json", '{ "scripts": { "install": "x" } }\n');
          w.write("x/package.json", '{ "name": "x" }\n');
          w.write("secrets.ts", "export {};\n");
        },
        c2: (w) => w.write("x/package.json", '{ "name": "y" }\n'),
      },
    );
    const apart = `needs confirmation: .github/workflows/ci.yml
needs confirmation: package.json
mentions secrets: secrets.ts
`;
    expect((await run(["session", "diff", id])).err).toBe(apart);
    expect((await run(["session", "diff", id, "--json"])).err).toBe(apart);
    expect((await run(["session", "diff", id, "--call", "2"])).err).toBe("");
    const stat = await run(["session", "diff", id, "--stat"]);
    expect([stat.err, stat.out.endsWith(`lines removed\n${apart}`)]).toEqual(["", true]);
  });

  describe("where the project was changed too", () => {
    const openContested = async () => {
      const world = await openSessionCliWorld(
        { "d/f": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", mode: "x\n", same: "x\n", "gone/x": "x\n", other: "x\n" },
        {
          c1: (w) => {
            w.write("d/f", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
            w.write("same", "agent\n");
            w.remove("gone", { recursive: true });
            w.write("new", "new\n");
          },
        },
      );
      const edit = (at: string, text: string) => fs.writeFileSync(path.join(world.root, at), text);
      edit("d/f", "1\n2\n3\n4\n5\n6\n7\n8\nmine\n");
      edit("gone/x", "mine\n");
      edit("same", "x\n");
      edit("other", "mine\n");
      return world;
    };

    test("says so under the diff, and in --json with each change", async () => {
      const { run, id } = await openContested();
      const apart = `also changed in the project: d/f
also changed in the project: gone/x
The diff shows the project's changes as undone. A commit asks, or merges with --on-conflict merge.
`;
      expect(await run(["session", "diff", id])).toMatchObject({ code: 0, err: apart });
      expect((await run(["session", "diff", id, "--call", "1"])).err).toBe(apart);
      expect((await run(["session", "diff", id, "--stat"])).out.endsWith(apart)).toBe(true);
      const { changes } = JSON.parse((await run(["session", "diff", id, "--json"])).out);
      const contested = changes.filter((change: { contested?: true }) => change.contested);
      expect(contested.map((change: { path: string }) => change.path)).toEqual(["d/f", "gone/x"]);
    });

    test("--patch leaves it out, says so, but ends with 1", async () => {
      const { run, id } = await openContested();
      const { code, out, err } = await run(["session", "diff", id, "--patch"]);
      expect({ code, err }).toEqual({
        code: 1,
        err: `not in the patch, also changed in the project: d/f
not in the patch, also changed in the project: gone/x
A patch would undo the project's changes. A commit asks, or merges with --on-conflict merge.
`,
      });
      expect(out.match(/^diff .*$/gm)).toEqual(["diff --git a/new b/new", "diff --git a/same b/same"]);
    });
  });
});
