import type { IncomingMessage } from "node:http";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { parseJson } from "../../core/parse-json.ts";
import { type Refusal, refuse } from "./check-request.ts";

/** Around the arguments of a call: the message and its parameters. */
const ENVELOPE_DEPTH = 8;

/** The JSON of a request's body, or why it is refused. Reads no more than `maxBytes`. */
export async function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly value: unknown } | Refusal> {
  const tooLarge = refuse(413, `the body is larger than ${maxBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return tooLarge;
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
    return { value: parseJson(text, { maxBytes, maxDepth: LIMITS.maxCallDepth + ENVELOPE_DEPTH }) };
  } catch (error) {
    if (error instanceof HotcellError) return { ...refuse(400, ""), message: error.message };
    return refuse(400, "the body is not UTF-8");
  }
}
