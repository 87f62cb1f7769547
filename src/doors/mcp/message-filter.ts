// The lines of standard input, before the SDK reads them: it drops what is no message without a word, and a client that
// waits for an answer would wait for ever. Here such a line is reported, and answered with an error of JSON-RPC.
import { Transform } from "node:stream";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../core/json.ts";

export interface MessageFilterOptions {
  /** A longer line is refused, and ends the connection: what arrives after that is dropped. */
  readonly maxBytes: number;
  /** Sends a line to the client. */
  readonly send: (line: string) => void;
  readonly onError: (error: Error) => void;
}

/** Gives whole lines, one at a time. */
export function createMessageFilter({ maxBytes, send, onError }: MessageFilterOptions): Transform {
  let parts: Buffer[] = [];
  let bytes = 0;
  const refuse = ({ code, problem, id }: Fault) => {
    const message = `Could not take the message: ${problem}.`;
    onError(new Error(message));
    if (id !== undefined) send(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
  };
  const takeLine = (): Buffer | null => {
    const line = Buffer.concat([...parts, NEWLINE]);
    parts = [];
    bytes = 0;
    const fault = findFault(line.toString());
    if (fault !== null) refuse(fault);
    return fault === null ? line : null;
  };
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      for (let start = 0; start < chunk.length && bytes <= maxBytes; ) {
        const end = chunk.indexOf(NEWLINE, start);
        const part = chunk.subarray(start, end < 0 ? chunk.length : end);
        start += part.length + 1;
        bytes += part.length;
        if (bytes > maxBytes) {
          refuse(invalid(`it is longer than ${maxBytes} bytes, so the connection ends`));
          parts = [];
          this.push(null);
        } else {
          parts.push(part);
          const line = end < 0 ? null : takeLine();
          if (line !== null) this.push(line);
        }
      }
      done();
    },
  });
}

const NEWLINE = Buffer.from("\n");

interface Fault {
  readonly code: ProtocolErrorCode;
  readonly problem: string;
  /** Null if the message has none that can be used; undefined if nobody waits for an answer. */
  readonly id: string | number | null | undefined;
}

/** Null for a message, and for an empty line. */
function findFault(line: string): Fault | null {
  if (line.trim() === "") return null;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { code: ProtocolErrorCode.ParseError, problem: "it is no JSON", id: null };
  }
  if (IS_MESSAGE.some((is) => is(message))) return null;
  if (Array.isArray(message)) return invalid("it is a batch. Send each message on a line of its own");
  if (!isJsonObject(message)) return invalid("it is no object");
  if (!("method" in message)) return { ...invalid("it is neither a request nor an answer"), id: undefined };
  const { jsonrpc, method, id } = message;
  const isId = typeof id === "string" || (typeof id === "number" && Number.isInteger(id));
  if (jsonrpc !== "2.0" || typeof method !== "string" || !(isId || id === undefined))
    return { ...invalid("it is no JSON-RPC 2.0"), id: isId ? id : null };
  const problem = "its params are no object, have a _meta that is none, or stand beside other members";
  return { code: ProtocolErrorCode.InvalidParams, problem, id };
}

const IS_MESSAGE = [
  isJSONRPCRequest,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  isJSONRPCErrorResponse,
] as const;

const invalid = (problem: string): Fault => ({
  code: ProtocolErrorCode.InvalidRequest,
  problem,
  id: null,
});
