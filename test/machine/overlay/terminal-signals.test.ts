import fs from "node:fs";
import { expect, test } from "vitest";
import { openMountNamespace, REPORT_AND_WAIT } from "../../../src/workspace/overlay/mount-namespace.ts";

/** The number of a process's session: signals of a terminal reach only processes of the terminal's session. */
function sessionOf(pid: number | "self"): number {
  const [, afterName] = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  return Number(afterName!.split(" ")[3]);
}

test("Ctrl-C does not reach the helper that mounts a session's view: it works in a session of its own", async () => {
  const [helper, session] = await openMountNamespace(
    { argv: ["sh", "-c", REPORT_AND_WAIT] },
    null,
    (namespace, pid) => {
      namespace.close();
      return [pid, sessionOf(pid)];
    },
  );
  expect(session).toBe(helper);
  expect(session).not.toBe(sessionOf("self"));
});
