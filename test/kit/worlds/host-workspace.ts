// A workspace in mode host, in a new directory, with neighbour files and the state beside it.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createProtection } from "../../../src/policy/protected.ts";
import { openHostWorkspace } from "../../../src/workspace/directory/host.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";

export interface HostWorld {
  readonly top: string;
  readonly root: string;
  readonly stateDir: string;
  open(): WorkspaceFS;
  remove(): void;
}

export function makeHostWorld(base = os.tmpdir()): HostWorld {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(base, "hotcell-host-")));
  const root = `${top}/ws`;
  const stateDir = `${top}/state`;
  for (const dir of [root, stateDir]) fs.mkdirSync(dir);
  return {
    top,
    root,
    stateDir,
    open: () => openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() }),
    remove: () => execFileSync("rm", ["-rf", top]),
  };
}
