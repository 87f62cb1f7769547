// Sessions in the library: list, show, gc and recover, and a cell that continues a session by its id.
import fs from "node:fs";
import {
  BOOLEAN,
  checkArgument,
  checkTypes,
  type OptionSchemas,
  TEXT,
  withoutUndefined,
} from "../call/check-options.ts";
import { type Cell, type CellOptions, openCell } from "../cell.ts";
import { defaultStateDir } from "../config/load-config.ts";
import { CONFIG_PROPERTIES } from "../config/schema.ts";
import { HotcellError, osErrorCode } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import { tryRealPath } from "../core/real-path.ts";
import { createProtection, type ProtectOptions } from "../policy/protected.ts";
import { findSessionId } from "../workspace/session/registry/find-session.ts";
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
  /** Which paths count as secrets; use the same options as for the cells of these sessions. */
  readonly protect?: ProtectOptions;
  /** Ends the operation early. */
  readonly signal?: AbortSignal;
}

export interface SessionsListOptions extends SessionsOptions {
  /**
   * Only the sessions of this project.
   * @default all sessions
   */
  readonly workspace?: string;
}

export interface SessionsGcOptions extends SessionsOptions, Pick<GcOptions, "maxBytes" | "dryRun"> {}

export interface Sessions {
  /** The sessions of a project, or all, oldest first. */
  list(options?: SessionsListOptions): Promise<SessionSummary[]>;
  /** One session with its calls and commits. A session is given by its id or name, or a unique beginning of either. */
  show(id: string, options?: SessionsOptions): Promise<SessionDetails>;
  /** Opens a cell on a session of any project. */
  open(id: string, options?: Omit<CellOptions, "workspace" | "session">): Promise<Cell>;
  /** Removes sessions that hold nothing; with `maxBytes` also others, the longest unused first, with their changes. */
  gc(options?: SessionsGcOptions): Promise<GcResult>;
  /** Finishes commits that were interrupted, or rolls them back: of one session, or of all. */
  recover(id?: string, options?: SessionsOptions): Promise<Recovered[]>;
}

export const sessions: Sessions = {
  list: async (options = {}) => {
    const store = storeOf("list the sessions", options, LIST);
    return listSessions(store, options.workspace && realProject(options.workspace));
  },
  async show(given, options = {}) {
    const store = storeOf("show the session", options, ANY);
    checkArgument("show the session", "id", given, TEXT);
    return showSession(await findSessionId(given, store, null), store);
  },
  async open(given, options = {}) {
    if (isJsonObject(options) && options.session !== undefined)
      throw new HotcellError(
        "CONFIG_INVALID",
        "Could not open the session: the option session has no place here. Give the id as the first argument alone.",
      );
    return openCell({ ...options, session: given });
  },
  gc: async (options = {}) => {
    const store = storeOf("remove sessions", options, GC);
    const { maxBytes, dryRun } = options;
    return collectGarbage(store, withoutUndefined({ maxBytes, dryRun }) as GcOptions);
  },
  async recover(given, options = {}) {
    const store = storeOf("recover commits", options, ANY);
    if (given !== undefined) checkArgument("recover commits", "id", given, TEXT);
    return recoverSessions(store, given && (await findSessionId(given, store, null)));
  },
};

const ANY: OptionSchemas<SessionsOptions> = {
  stateDir: TEXT,
  protect: CONFIG_PROPERTIES.protect,
  signal: null,
};
const LIST: OptionSchemas<SessionsListOptions> = { ...ANY, workspace: TEXT };
const GC: OptionSchemas<SessionsGcOptions> = {
  ...ANY,
  maxBytes: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  dryRun: BOOLEAN,
};

function storeOf<Options extends SessionsOptions>(
  action: string,
  options: Options,
  types: OptionSchemas<Options>,
) {
  checkTypes(options, action, types);
  const { stateDir = defaultStateDir(process.env), protect, signal } = options;
  signal?.throwIfAborted();
  return {
    stateDir: tryRealPath(stateDir) ?? stateDir,
    protectionOf: createProtection(protect),
    ...(signal !== undefined && { signal }),
  };
}

function realProject(workspace: string): string {
  try {
    return fs.realpathSync(workspace);
  } catch (error) {
    const message = `Could not list the sessions: workspace is ${quote(workspace)}, which cannot be opened (${osErrorCode(error)}). Name an existing directory, or leave it out to list all sessions.`;
    throw new HotcellError("WORKSPACE_UNUSABLE", message);
  }
}
