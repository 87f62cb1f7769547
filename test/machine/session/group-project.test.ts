// A project that an ordinary user shares with others. What belongs to a group that is not the user's own, the kernel's
// overlay can't copy.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openCell } from "../../../src/cell.ts";
import type { Strategy } from "../../../src/workspace/layers/record.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const NOBODY = 65534;
const CLI = path.join(import.meta.dirname, "../../../bin/hotcell.js");
const shared = process.getgroups!().find((gid) => gid !== process.getegid!());

function makeProject(...sharedPaths: readonly string[]) {
  const top = tempDir();
  const workspace = path.join(top, "project");
  fs.mkdirSync(path.join(workspace, "d"), { recursive: true });
  fs.writeFileSync(path.join(workspace, "d/f"), "old\n");
  for (const at of sharedPaths) {
    fs.chownSync(path.join(workspace, at), process.geteuid!(), shared!);
    fs.chmodSync(path.join(workspace, at), at === "d/f" ? 0o664 : 0o2775);
  }
  return { workspace, stateDir: path.join(top, "state") };
}

async function open(project: ReturnType<typeof makeProject>, strategy?: Strategy) {
  const cell = await openCell({ ...project, trust: "autonomous", ...(strategy && { strategy }) });
  onTestFinished(() => cell.close());
  const write = (at: string) => cell.call({ name: "write_file", arguments: { path: at, content: "new\n" } });
  return { cell, write };
}

describe.runIf(!IS_ROOT && shared !== undefined)("a directory of another group", () => {
  test("as a project is worked on in a copy: written, run in, and committed to the same group", async () => {
    const project = makeProject("", "d", "d/f");
    const { cell, write } = await open(project);
    const [file, made] = [await write("d/f"), await write("d/new")];
    const command = "echo more >> d/f && mkdir d/e && echo done";
    const ran = await cell.call({ name: "run_command", arguments: { command } });
    expect([file.meta.strategy, file.error, made.error]).toEqual(["clone", null, null]);
    expect(ran.output).toMatchObject({ exit_code: 0, stdout: "done\n", stderr: "" });
    expect((await cell.commit()).committed).toEqual(["d/e", "d/f", "d/new"]);
    expect(fs.readFileSync(path.join(project.workspace, "d/f"), "utf8")).toBe("new\nmore\n");
    const groupOf = (at: string) => fs.statSync(path.join(project.workspace, at)).gid;
    expect(["d/e", "d/f", "d/new"].map(groupOf)).toEqual([shared, shared, shared]);
  });

  test("as a project is worked on by the strategy that was asked for", async () => {
    const { cell, write } = await open(makeProject("", "d", "d/f"), "kernel");
    expect([cell.session === null, (await write("new")).meta.strategy]).toEqual([false, "kernel"]);
  });

  test("in a project of one's own: why it can't be written, and what to do, is said", async () => {
    const { write } = await open(makeProject("d", "d/f"));
    const { meta, error } = await write("d/f");
    expect([meta.strategy, error]).toEqual([
      "kernel",
      {
        code: "EXECUTION_ERROR",
        message:
          'Could not write "d/f": it, or a directory above it, belongs to another user or group, whose files overlayfs cannot copy for an ordinary user (EOVERFLOW). Use a session with --strategy clone.',
      },
    ]);
  });
});

test.runIf(IS_ROOT)(
  "somebody else's file becomes the user's own when it is replaced, and that is said before",
  () => {
    const top = tempDir();
    const project = path.join(top, "project");
    fs.mkdirSync(project);
    fs.writeFileSync(path.join(project, "f"), "old\n", { mode: 0o666 });
    fs.chmodSync(path.join(project, "f"), 0o666);
    for (const dir of [top, project]) fs.chownSync(dir, NOBODY, NOBODY);
    const hotcell = (...args: readonly string[]) =>
      spawnSync(process.execPath, [CLI, ...args, "--state-dir", path.join(top, "state")], {
        ...{ cwd: project, uid: NOBODY, gid: NOBODY, env: { PATH: process.env.PATH, HOME: top } },
        encoding: "utf8",
      });
    const session = hotcell("session", "create", "--strategy", "clone").stdout.trim();
    hotcell("call", "write_file", JSON.stringify({ path: "f", content: "new\n" }), "--session", session);
    expect(hotcell("session", "commit", session, "--yes").stderr).toBe(
      "new owner is you: f (only root can keep the owner)\n",
    );
    expect(fs.statSync(path.join(project, "f")).uid).toBe(NOBODY);
  },
);
