// The server of one project: its tools, sessions and questions over HTTP, behind the guard of all HTTP doors.
import fs from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openPreview } from "../../call/tools-and-policy.ts";
import type { CellOptions } from "../../cell.ts";
import { defaultStateDir } from "../../config/load-config.ts";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import { tryRealPath } from "../../core/real-path.ts";
import { createProtection } from "../../policy/protected.ts";
import { WIRE_FORMATS } from "../../tools/definitions.ts";
import { areApart, openStateDir } from "../../workspace/files/state-dir.ts";
import { openHttpServer } from "../http/http-server.ts";
import { openTokenFile, readTokenFile, type TokenFile } from "../http/token-file.ts";
import { MCP_PATH, openMcpHandler } from "../mcp/mcp-handler.ts";
import { createAdmission } from "./admission.ts";
import type { ApiParts } from "./api-parts.ts";
import { createApp } from "./create-app.ts";
import { createPresence } from "./presence.ts";
import { createQuestions } from "./questions.ts";
import type { Route } from "./route.ts";
import { approvalRoutes } from "./routes/approval-routes.ts";
import { logRoutes } from "./routes/log-routes.ts";
import { accessOf, machineRoutes } from "./routes/machine-routes.ts";
import { policyRoutes } from "./routes/policy-routes.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { sessionRoutes } from "./routes/session-routes.ts";
import { toolRoutes } from "./routes/tool-routes.ts";
import { createRunFeed } from "./runs/run-feed.ts";
import { createRuns, type ServedAgent } from "./runs/runs.ts";
import { createServerEvents } from "./server-events.ts";
import { createSessionCells } from "./session-cells.ts";
import { createSocketServer } from "./socket-server.ts";
import { watchSessions } from "./watch-sessions.ts";

/** The options of `openServer`: those of `openCell` for all sessions of the project, and where the server listens. */
export interface ServerOptions extends Omit<CellOptions, "fs" | "database" | "onAsk" | "run" | "session"> {
  readonly workspace: string;
  /**
   * The mode of the sessions that it creates.
   * @default "overlay"
   */
  readonly fs?: "overlay" | "agentfs";
  /**
   * 0 takes any free port.
   * @default 4610
   */
  readonly port?: number;
  /**
   * The address to listen on. Any other than the default needs `tokenFile`.
   * @default "127.0.0.1"
   */
  readonly host?: string;
  /**
   * A file with a token of at least 32 characters, that only its owner may read.
   * @default a file in the state directory, which hotcell makes
   */
  readonly tokenFile?: string;
  /**
   * The model of agent runs, and what each of them may spend.
   * @default none: the server starts no runs
   */
  readonly agent?: ServedAgent;
  /**
   * The most sessions of the project that it creates, those that exist already included.
   * @default 1000
   */
  readonly maxSessions?: number;
  /** Called with an error that is a bug of hotcell; the client only learns that there was one. */
  readonly onError?: (error: unknown) => void;
}

export interface HotcellServer {
  /** With the port, without a path. */
  readonly url: string;
  readonly tokenFile: string;
  /** Takes no more work, lets calls end, cancels those that take longer than some seconds, and closes all sessions. */
  close(): Promise<void>;
}

/**
 * Serves a project over HTTP.
 * @example
 * const server = await openServer({ workspace: "/home/me/project" });
 */
export async function openServer(options: ServerOptions): Promise<HotcellServer> {
  const { port = LIMITS.server.port, host = "127.0.0.1", tokenFile, ...others } = options;
  const stateDir = openStateDir(options.stateDir ?? defaultStateDir(process.env), options.workspace);
  const token = chooseToken(host, tokenFile, stateDir);
  refuseVisible(token, options);
  const admission = createAdmission();
  const parts = await openParts({ ...others, stateDir }, token);
  const sockets = createSocketServer(parts, admission.admit);
  const { onAsk: _, ...cellOptions } = parts.cellOptions;
  const mcp = await openMcpHandler({
    ...cellOptions,
    fs: options.fs ?? "overlay",
    idleMs: LIMITS.server.cellIdleMs,
    limitQuestions: parts.questions.limit,
    onError: parts.onError,
  });
  const http = await openHttpServer({
    port,
    host,
    token,
    accessOf,
    hasLogin: true,
    maxBodyBytes: LIMITS.server.maxBodyBytes,
    limits: { maxConnections: LIMITS.server.maxConnections },
    handle: createApp({ routes: routesOf(parts), admission, mounted: new Map([[MCP_PATH, mcp.handle]]) }),
    upgrade: sockets.upgrade,
    onError: parts.onError,
  });
  return {
    url: http.url,
    tokenFile: token.file,
    async close() {
      const ended = admission.stop();
      http.drain();
      await Promise.all([
        Promise.race([ended, setTimeout(GRACE_MS, null, { ref: false })]),
        parts.runs.stop(GRACE_MS),
      ]);
      await mcp.end();
      await Promise.all([parts.cells.close(), mcp.close(), sockets.close()]);
      parts.events.close();
      await http.close();
    },
  };
}

/** Then calls are cancelled, and closing their cells may take the rest of the time. */
const GRACE_MS = LIMITS.server.stopMs - LIMITS.closeWaitMs - 1000;

/** As long as the command line waits. Also for a session that this process has open in another place. */
const DEFAULT_WAIT_MS = 5000;

/** On this machine anybody who can reach the port is a user of it; elsewhere the operator must have made a token. */
function chooseToken(host: string, given: string | undefined, stateDir: string): TokenFile {
  if (given !== undefined) return readTokenFile(given);
  if (host === "127.0.0.1" || host === "::1" || host === "localhost") return openTokenFile(stateDir);
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not listen on ${quote(host)}: other machines can reach it. Write a token of your own to a file (chmod 600), and name it with --token-file.`,
  );
}

/** The agent must not read the token: with it, it would answer its own questions. */
function refuseVisible(
  { file }: TokenFile,
  { workspace, storage, home, mounts = {}, readable = [], toolchains = [] }: ServerOptions,
): void {
  const mounted = Object.values(mounts).map(({ path: at }) => at);
  const places = [workspace, storage, home, ...mounted, ...readable, ...toolchains];
  const place = places.find(
    (at) => at !== undefined && !areApart(fs.realpathSync(file), tryRealPath(at) ?? at),
  );
  if (place === undefined) return;
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not use the token file ${quote(file)}: it is in ${quote(place)}, where the agent can read it. Move it to a directory that the agent does not see.`,
  );
}

async function openParts(
  options: Omit<ServerOptions, "port" | "host" | "tokenFile"> & { readonly stateDir: string },
  token: TokenFile,
): Promise<ApiParts> {
  const {
    maxSessions = LIMITS.server.maxSessions,
    agent = null,
    onError = () => {},
    waitMs = DEFAULT_WAIT_MS,
    fs: mode = "overlay",
    ...given
  } = options;
  const { stateDir } = given;
  const project = fs.realpathSync(given.workspace);
  const store = {
    stateDir,
    protectionOf: createProtection(given.protect),
    waitMs,
    maxSessions,
  };
  const events = createServerEvents(onError);
  const presence = createPresence();
  events.watch(watchSessions({ stateDir, project, events }));
  const questions = createQuestions({ stateDir, project, presence, events });
  const cellOptions: CellOptions = { ...given, waitMs, maxSessions, onAsk: questions.onAsk };
  const cells = createSessionCells({ project, store, mode, cell: cellOptions });
  const feed = createRunFeed();
  const runs = createRuns({ stateDir, agent, cells, feed, questions, onError });
  const preview = await openPreview(cellOptions);
  const tools = new Map(WIRE_FORMATS.map((format) => [format, preview.tools(format)]));
  preview.close();
  return {
    project,
    cellOptions,
    store,
    cells,
    events,
    presence,
    questions,
    token,
    agent,
    runs,
    feed,
    onError,
    answer(id, answer) {
      const { callId } = questions.answer(id, answer);
      runs.continueAnswered(callId);
      return id;
    },
    toolsFor: (format) => tools.get(format)!,
  };
}

function routesOf(parts: ApiParts): Route[] {
  const api = [
    ...toolRoutes(parts),
    ...sessionRoutes(parts),
    ...logRoutes(parts),
    ...runRoutes(parts),
    ...approvalRoutes(parts),
    ...policyRoutes(parts),
  ];
  return [...api, ...machineRoutes(parts, api)];
}
