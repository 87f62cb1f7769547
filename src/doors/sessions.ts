// Sessions from a program: what `hotcell session list`, `show`, `gc` and `recover` do, and a cell on a session by its id.
import fs from "node:fs";
import { type Cell, type CellOptions, openCell } from "../cell.ts";
import { defaultStateDir } from "../config/load-config.ts";
import { createProtection, type ProtectOptions } from "../policy/protected.ts";
import { readRecord, sessionDir } from "../workspace/layers/record.ts";
import { collectGarbage, type GcOptions, type GcResult } from "../workspace/session/registry/gc.ts";
import {
  listSessions,
  type SessionDetails,
  type SessionSummary,
  showSession,
} from "../workspace/session/registry/list-sessions.ts";
import { type Recovered, recoverSessions } from "../workspace/session/registry/recover-sessions.ts";

export interface SessionsOptions {
  /**
   * Where hotcell keeps its state.
   * @default $HOTCELL_STATE_DIR, else hotcell in the user's state directory
   */
  readonly stateDir?: string;
  /** Which paths count as secrets, as for the cells that made the sessions. */
  readonly protect?: ProtectOptions;
}

export interface SessionsGcOptions extends SessionsOptions, Pick<GcOptions, "maxBytes" | "dryRun"> {}

export interface Sessions {
  /** All sessions, oldest first. */
  list(options?: SessionsOptions): Promise<SessionSummary[]>;
  /** One session with its calls and commits. */
  show(id: string, options?: SessionsOptions): Promise<SessionDetails>;
  /** A cell on a session, whatever its project. */
  open(id: string, options?: Omit<CellOptions, "workspace" | "session">): Promise<Cell>;
  /** Removes sessions that hold nothing; with `maxBytes` also others, the longest unused first, with their changes. */
  gc(options?: SessionsGcOptions): Promise<GcResult>;
  /** Finishes commits that were interrupted, or rolls them back: of one session, or of all. */
  recover(id?: string, options?: SessionsOptions): Promise<Recovered[]>;
}

export const sessions: Sessions = {
  list: async (options) => listSessions(placeOf(options)),
  show: async (id, options) => showSession(id, placeOf(options)),
  async open(id, options = {}) {
    const { stateDir } = placeOf(options);
    const { workspace } = readRecord(sessionDir(stateDir, id));
    return openCell({ ...options, stateDir, workspace, session: id });
  },
  gc: async ({ maxBytes, dryRun, ...options } = {}) => {
    const limits = { ...(maxBytes !== undefined && { maxBytes }), ...(dryRun !== undefined && { dryRun }) };
    return collectGarbage(placeOf(options), limits);
  },
  recover: async (id, options) => recoverSessions(placeOf(options).stateDir, id),
};

function placeOf({ stateDir = defaultStateDir(process.env), protect }: SessionsOptions = {}) {
  return {
    stateDir: fs.existsSync(stateDir) ? fs.realpathSync(stateDir) : stateDir,
    protectionOf: createProtection(protect),
  };
}
