// MCP on standard input and output: one client, one session. The first call opens the session.
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { CellOptions } from "../../cell.ts";
import { keepCell } from "../../cells.ts";
import { LIMITS } from "../../core/limits.ts";
import { createServer } from "./create-server.ts";
import { createMessageFilter } from "./message-filter.ts";
import { openMcpService } from "./open-service.ts";
import { takeStdout } from "./own-stdout.ts";
import { CREATE } from "./server-cells.ts";

export interface McpStdioOptions extends Omit<CellOptions, "onAsk"> {
  /** @default standard input */
  readonly input?: Readable;
  /** @default standard output; then whatever else this process prints goes to standard error */
  readonly output?: Writable;
  /** Called for messages that are no MCP, and for a connection that breaks. */
  readonly onError?: (error: Error) => void;
  /** Ends the service. */
  readonly signal?: AbortSignal;
}

/**
 * Serves the tools of a cell to one MCP client. Resolves when the client has left and the cell is closed.
 * @example
 * await serveMcpStdio({ workspace: "/home/me/project", toolsets: ["coding"] });
 */
export async function serveMcpStdio(options: McpStdioOptions): Promise<void> {
  const { input = process.stdin, output, onError = () => {}, signal, ...rest } = options;
  const { cellOptions, stateDir: _, ...parts } = await openMcpService(rest);
  const tools = parts.tools.filter(({ name }) => name !== CREATE);
  const own = output === undefined ? takeStdout() : { output, restore: () => {} };
  const cell = keepCell(cellOptions);
  const messages = createMessageFilter({
    maxBytes: LIMITS.maxMcpMessageBytes,
    send: (line) => void own.output.write(line),
    onError,
  });
  const transport = new StdioServerTransport(messages, own.output, {
    maxBufferSize: LIMITS.maxMcpMessageBytes + 1,
  });
  const closed = whenClosed(transport);
  const service = serveStdio(() => createServer({ ...parts, tools, cell, handles: null }), {
    transport,
    onerror: onError,
  });
  const stopReading = pipeUntilClose(input, messages, onError);
  const end = () => void service.close();
  if (signal?.aborted) end();
  signal?.addEventListener("abort", end, { once: true });
  try {
    await closed;
  } finally {
    signal?.removeEventListener("abort", end);
    stopReading();
    await cell.close();
    own.restore();
  }
}

/** Unlike `pipe` it also ends the output if the input is closed before its end. Returns a function that ends it. */
function pipeUntilClose(input: Readable, output: Writable, onError: (error: Error) => void): () => void {
  const end = () => void output.end();
  input.on("error", onError);
  input.on("close", end);
  input.pipe(output);
  if (input.destroyed) end();
  return () => {
    input.off("error", onError);
    input.off("close", end);
    input.unpipe(output);
    input.pause();
  };
}

/** `serveStdio` tells nobody when the client has left; every way there goes through the transport's `close`. */
function whenClosed(transport: StdioServerTransport): Promise<void> {
  const close = transport.close.bind(transport);
  return new Promise((resolve) => {
    transport.close = () => close().finally(resolve);
  });
}
