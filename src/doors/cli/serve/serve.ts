import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { openServer } from "../../server/open-server.ts";
import { configuredCell } from "../cell-options.ts";
import { type ModelFlags, openChatModel } from "../chat/open-chat-model.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printJson, printLines, printNotes, usage } from "../io.ts";
import type { CellFlags } from "../main.ts";
import { readPort } from "../mcp.ts";

export interface ServeFlags extends CellFlags, ModelFlags {
  readonly port?: string;
  readonly host?: string;
  readonly tokenFile?: string;
}

/** Serves the project until SIGTERM or Ctrl-C. */
export async function serve(io: Io, flags: ServeFlags): Promise<ExitCode> {
  const { port, host, tokenFile } = flags;
  if (flags.session !== undefined || flags.name !== undefined)
    throw usage("hotcell serve serves all sessions of the project: omit --session and --name.");
  const { options, config } = await configuredCell(io, flags);
  const { fs: mode } = config;
  if (mode === "host") throw usage("hotcell serve works in sessions: omit --fs host.");
  if (flags.database !== undefined)
    throw usage("hotcell serve creates a database for each session: omit --database.");
  const { fs: _, database: __, ...cellOptions } = options;
  const hasModel = flags.model !== undefined || config.model.provider !== undefined;
  const chosen = hasModel ? openChatModel(io, config, flags) : null;
  await interruptible("serve", async (signal) => {
    const server = await openServer({
      ...cellOptions,
      fs: mode,
      workspace: options.workspace!,
      ...(chosen !== null && {
        model: chosen.model,
        agent: { model: chosen.model, ...chosen.options },
      }),
      ...(port !== undefined && { port: readPort(port) }),
      ...(host !== undefined && { host }),
      ...(tokenFile !== undefined && { tokenFile: path.resolve(io.cwd, tokenFile) }),
      onError: (error) => printNotes(io, `hotcell serve: ${error instanceof Error ? error.stack : error}`),
    });
    printStart(io, server, flags.json === true);
    if (!signal.aborted) await once(signal, "abort");
    await server.close();
  }).finally(() => chosen?.model.close());
  return 0;
}

/** The token is in the fragment: a browser sends that to nobody. */
function printStart(
  io: Io,
  { url, tokenFile }: { readonly url: string; readonly tokenFile: string },
  json: boolean,
) {
  if (json) return printJson(io, { url, tokenFile }, true);
  const token = fs.readFileSync(tokenFile, "utf8").trim();
  printLines(io, `hotcell serves on ${url}/#token=${token}`, `The token is in ${tokenFile}. Ctrl-C ends it.`);
}
