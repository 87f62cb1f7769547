import { describe, it } from "vitest";
import { workspaceContract } from "../../../src/testing.ts";
import { makeHostWorld } from "../../kit/worlds/host-workspace.ts";

describe("P2.4, P2.5 and P6.1: mode host keeps the contract of WorkspaceFS", () => {
  workspaceContract({ describe, it }, () => {
    const { top, root, open, remove } = makeHostWorld();
    const workspace = open();
    const close = () => {
      workspace.close();
      remove();
    };
    return { workspace, root, outside: top, close };
  });
});
