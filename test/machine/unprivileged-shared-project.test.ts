// A project that an ordinary user shares with others. What belongs to a group that is not the user's own, the kernel's
// overlay can't copy.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openCell } from "../../src/cell.ts";
import type { Strategy } from "../../src/workspace/layers/record.ts";
import { openCliWorld } from "../kit/cli-world.ts";
import { dropRoot } from "../kit/drop-root.ts";
import { tempDir } from "../kit/temp-cell.ts";

const others = plantOthers();
dropRoot([1234]);
const shared = process.getgroups!().find((gid) => gid !== process.getegid!());

/** A project of nobody's with a file of root's that all may write; null where there is no root to make it. */
function plantOthers(): string | null {
  if (process.getuid!() !== 0) return null;
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-others-")));
  const project = path.join(top, "project");
  fs.mkdirSync(project);
  fs.writeFileSync(path.join(project, "f"), "old\n");
  fs.chmodSync(path.join(project, "f"), 0o666);
  for (const dir of [top, project]) fs.chownSync(dir, 65534, 65534);
  return top;
}

afterAll(() => {
  if (others !== null) fs.rmSync(others, { recursive: true });
});

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

describe.skipIf(shared === undefined)("a directory of another group", () => {
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
          "Could not write \"d/f\": it, or a directory above it, belongs to another user or group, which the kernel's overlay can't copy for an ordinary user (EOVERFLOW). A session made with --strategy clone can.",
      },
    ]);
  });
});

test.skipIf(others === null)(
  "somebody else's file becomes the user's own when it is replaced, and that is said before",
  async () => {
    const project = { workspace: path.join(others!, "project"), stateDir: path.join(others!, "state") };
    const { cell, write } = await open(project, "clone");
    await write("f");
    expect((await cell.plan()).changesOwner).toEqual(["f"]);
    const { session } = cell;
    await cell.close();
    const { err } = await openCliWorld().run(
      ["session", "commit", session!, "--yes", "--state-dir", project.stateDir],
      { cwd: project.workspace },
    );
    expect(err).toBe("becomes yours: f (only root could keep its owner)\n");
    expect(fs.statSync(path.join(project.workspace, "f")).uid).toBe(process.geteuid!());
  },
);
