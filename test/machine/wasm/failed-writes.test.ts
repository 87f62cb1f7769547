// Small writes wait in the guest's process, and the guest has been told that they succeeded. If the disk is full when they
// reach hotcell, the call fails with the error of that write.
import { expect, onTestFinished, test } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import type { FileHandle, WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { makeHostWorld } from "../../kit/worlds/host-workspace.ts";
import { openTestGuests } from "../../kit/worlds/test-guests.ts";
import { command } from "../../kit/worlds/wasm-tool-folder.ts";

const FULL = new HotcellError("EXECUTION_ERROR", 'Could not write "f": the disk is full (ENOSPC).', {
  errno: "ENOSPC",
});

/** The same workspace, on a disk that takes so many writes. */
function withRoomFor(writes: number, files: WorkspaceFS): WorkspaceFS {
  let left = writes;
  return Object.assign(Object.create(files) as WorkspaceFS, {
    openHandle(...given: Parameters<WorkspaceFS["openHandle"]>) {
      const handle = files.openHandle(...given);
      return Object.assign(Object.create(handle) as FileHandle, {
        write(...args: Parameters<FileHandle["write"]>) {
          if (left-- === 0) throw FULL;
          return handle.write(...args);
        },
      });
    },
  });
}

const OPEN =
  "(call $open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const 1) (i32.const 1) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 20))";
/** Writes `{}` to the file. The guest fails if it is told that this failed. */
const WRITE = `(i32.store (i32.const 8) (i32.const 512)) (i32.store (i32.const 12) (i32.const 2))
  (if (call $write (i32.load (i32.const 20)) (i32.const 8) (i32.const 1) (i32.const 16)) (then unreachable))`;
const LOG =
  "(drop (call $call (i32.const 1025) (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 2048) (i32.const 1000)))";

async function run(code: string, room: number) {
  const world = makeHostWorld();
  onTestFinished(world.remove);
  const guests = openTestGuests();
  let hostCalls = 0;
  const ended = guests.run({
    program: await guests.program(command(code, "flog"), "0".repeat(64)),
    mounts: [{ at: "/workspace", files: withRoomFor(room, world.open()), access: "write" }],
    async hostCall() {
      hostCalls++;
      return "{}";
    },
  });
  const outcome = await ended.then(
    ({ exitCode }) => exitCode,
    (error: unknown) => error,
  );
  return { outcome, hostCalls };
}

test.each([
  ["at the end of the run", `(drop ${OPEN}) ${WRITE} ${WRITE}`, 0],
  ["before a host call, which is not made", `(drop ${OPEN}) ${WRITE} ${WRITE} ${LOG}`, 0],
  ["at an exit with a code", `(drop ${OPEN}) ${WRITE} ${WRITE} (call $exit (i32.const 3))`, 0],
])("a write that waited and fails %s ends the call with its error", async (_when, code, hostCalls) => {
  expect(await run(code, 1)).toEqual({ outcome: FULL, hostCalls });
  expect(typeof (await run(code, 2)).outcome).toBe("number");
});

test("a write that fails at once is the guest's to handle", async () => {
  const { outcome } = await run(`(drop ${OPEN}) ${WRITE.replace("(then unreachable)", "(then)")}`, 0);
  expect(outcome).toBe(0);
});
