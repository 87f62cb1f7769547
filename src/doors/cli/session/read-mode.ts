import path from "node:path";
import { loadConfig } from "../../../config/load-config.ts";
import type { CreateOptions } from "../../../workspace/session/create-session.ts";
import { type Io, usage } from "../io.ts";
import { type SessionFlags, workspaceOf } from "./find-session.ts";

export interface ModeFlags extends SessionFlags {
  readonly fs?: string;
  readonly database?: string;
}

/** The mode of a new session, and its database. */
export function readMode(io: Io, flags: ModeFlags): Pick<CreateOptions, "fs" | "database"> {
  if (flags.fs === "host") throw usage("--fs is host, which has no sessions; use overlay or agentfs.");
  const { fs: mode } = loadConfig({
    file: flags.config,
    workspace: workspaceOf(io, flags),
    env: io.env,
    flags,
    cwd: io.cwd,
  });
  return {
    ...(mode === "agentfs" && { fs: mode }),
    ...(flags.database !== undefined && { database: path.resolve(io.cwd, flags.database) }),
  };
}
