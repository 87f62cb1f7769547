// Reads the body of a response up to a limit, which holds for the decoded bytes and after each coding.
import type { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";

export interface Body {
  readonly bytes: Buffer;
  /** The body is longer than the limit. */
  readonly truncated: boolean;
}

export interface ReadBodyOptions {
  /** The header `content-encoding`. */
  readonly encoding?: string | undefined;
  readonly maxBytes: number;
}

/** Codings that every supported version of Node can decode. */
export const ACCEPT_ENCODING = "gzip, deflate, br";

const MAX_CODINGS = 2;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ["gzip", () => zlib.createGunzip()],
  ["x-gzip", () => zlib.createGunzip()],
  ["deflate", () => zlib.createInflate()],
  ["br", () => zlib.createBrotliDecompress()],
]);

/** Ends the stream when the limit is reached. Throws NETWORK_ERROR, or the HotcellError that ended the stream. */
export async function readBody(body: Readable, { encoding = "", maxBytes }: ReadBodyOptions): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  const collect = async (source: AsyncIterable<Buffer>, onFull = () => {}) => {
    for await (const chunk of source) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) return onFull();
    }
  };
  try {
    const decoders = decodersFor(encoding);
    if (decoders.length === 0) await collect(body);
    else {
      // A pipeline takes as long as a small request itself.
      const full = new AbortController();
      const collectDecoded = (source: AsyncIterable<Buffer>) => collect(source, () => full.abort());
      await pipeline(chain(body, decoders, maxBytes, collectDecoded), { signal: full.signal });
    }
  } catch (error) {
    body.destroy();
    if (length <= maxBytes) throw unreadable(error);
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), truncated: length > maxBytes };
}

function chain(body: Readable, decoders: readonly Transform[], maxBytes: number, collect: unknown) {
  const capped = decoders.flatMap((decoder, index) => (index === 0 ? [decoder] : [cap(maxBytes), decoder]));
  return [body, ...capped, collect] as never;
}

function decodersFor(encoding: string): Transform[] {
  const codings = encoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length > MAX_CODINGS) throw cannotDecode(`it is encoded ${codings.length} times`);
  return codings.reverse().map((coding) => {
    const create = DECODERS.get(coding);
    if (create === undefined) throw cannotDecode(`its encoding is ${quote(coding)}`);
    return create();
  });
}

/** A coding may decode without end into what the next one reads without output. */
function cap(maxBytes: number) {
  return async function* (source: AsyncIterable<Buffer>) {
    let length = 0;
    for await (const chunk of source) {
      length += chunk.length;
      if (length > maxBytes) throw cannotDecode("one of its encodings is too long");
      yield chunk;
    }
  };
}

function unreadable(error: unknown): HotcellError {
  if (error instanceof HotcellError) return error;
  return cannotDecode(error instanceof Error ? error.message : String(error));
}

function cannotDecode(problem: string): HotcellError {
  return new HotcellError("NETWORK_ERROR", `Could not read the response's body: ${problem}.`);
}

/** The note of 003 for a body that was cut. */
export function truncationNote(maxBytes: number): string {
  const mib = maxBytes / (1024 * 1024);
  return `response body truncated at ${Number.isInteger(mib) ? `${mib}MB` : `${maxBytes} bytes`} limit`;
}
