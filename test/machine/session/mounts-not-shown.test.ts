import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { file } from "../../kit/worlds/planted-tree.ts";
import { STRATEGIES, tempSessionWorld } from "../../kit/worlds/session-world.ts";

const BIN = path.resolve(import.meta.dirname, "../../../bin/hotcell.js");

test.runIf(IS_ROOT).each(STRATEGIES)(
  "issue-17-8: a mount below the project is reported by session create, doctor and the observation: %s",
  (strategy) => {
    const { project, stateDir } = tempSessionWorld(new Map([["volume/covered", file("")]]));
    const script = `cd '${project}' && mount -t tmpfs none volume && echo in > volume/inside && exec 2>&1
export HOTCELL_STATE_DIR='${stateDir}'
hotcell() { '${process.execPath}' '${BIN}' "$@"; }
hotcell session create --name s --strategy ${strategy} | grep mount
hotcell call list_directory '{"path":"."}' --session s --json | grep -o '"mountsNotShown":.[^]]*.'
hotcell doctor | grep 'mount at'`;
    const { stdout } = spawnSync("unshare", ["-m", "sh", "-c", script], { encoding: "utf8" });
    expect(stdout.split("\n")).toEqual([
      "not shown in the session: the content of the mount at volume",
      '"mountsNotShown":["volume"]',
      "Sessions of this directory do not show the content of the mount at volume.",
      "",
    ]);
  },
);
