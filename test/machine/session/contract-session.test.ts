import fs from "node:fs";
import { describe, it } from "vitest";
import { type WorkspaceUnderTest, workspaceContract } from "../../../src/testing.ts";
import type { Strategy } from "../../../src/workspace/layers/record.ts";
import { makeSessionWorld, STRATEGIES } from "../../kit/worlds/session-world.ts";

const O_PATH = 0o10000000;

/** This test holds the view open too, so it can read the view after the session is closed. */
async function openUnderTest(strategy: Strategy): Promise<WorkspaceUnderTest> {
  const { top, create, remove } = makeSessionWorld();
  const { workspace, view } = await create(strategy);
  const held = fs.openSync(`/proc/self/fd/${view.fd}`, O_PATH | fs.constants.O_DIRECTORY);
  const close = () => {
    fs.closeSync(held);
    remove();
  };
  return { workspace, root: `/proc/self/fd/${held}`, outside: top, close };
}

describe.each(STRATEGIES)(
  "P2.4, P3.6 and P6.1: mode overlay, by the strategy %s, keeps the contract of WorkspaceFS",
  (strategy) => {
    workspaceContract({ describe, it }, () => openUnderTest(strategy));
  },
);
