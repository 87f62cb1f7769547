import { once } from "node:events";
import { quote } from "../../core/quote.ts";
import { takeStdout } from "../mcp/own-stdout.ts";
import { cellOptions } from "./cell-options.ts";
import { interruptible } from "./interruptible.ts";
import { type ExitCode, type Io, printJson, printLines, printNotes, usage } from "./io.ts";
import type { CellFlags } from "./main.ts";

export interface McpFlags extends CellFlags {
  readonly http?: boolean;
  readonly port?: string;
}

/** Serves MCP until the client leaves; over HTTP until it is interrupted. */
export async function serveMcp(io: Io, { http, port, json, ...flags }: McpFlags): Promise<ExitCode> {
  if (http !== true && (port !== undefined || json === true))
    throw usage("--port and --json are for HTTP. Add --http.");
  const options = await cellOptions(io, flags);
  const onError = ({ message }: Error) => printNotes(io, `hotcell mcp: ${message}`);
  await interruptible("serve MCP", async (signal) => {
    if (http !== true) {
      const { serveMcpStdio } = await import("../mcp/serve-stdio.ts");
      return serveMcpStdio({ ...options, onError, signal });
    }
    const { serveMcpHttp } = await import("../mcp/serve-http.ts");
    const service = await serveMcpHttp({
      ...options,
      onError,
      ...(port !== undefined && { port: readPort(port) }),
    });
    const { url, tokenFile } = service;
    if (json === true) printJson(io, { url, tokenFile }, true);
    else
      printLines(
        io,
        `MCP is served at ${url}`,
        `The token is in ${tokenFile}. Send "Authorization: Bearer TOKEN".`,
      );
    const { restore } = takeStdout();
    if (!signal.aborted) await once(signal, "abort");
    await service.close();
    restore();
  });
  return 0;
}

export function readPort(given: string): number {
  const port = Number(given);
  if (/^\d{1,5}$/.test(given) && port <= 65_535) return port;
  throw usage(`--port is ${quote(given)}; it takes a number from 0 to 65535, 0 for any free port.`);
}
