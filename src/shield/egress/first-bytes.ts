// Reads which host a client names in its first bytes: TLS in the server name, HTTP in the Host header. A server behind
// the granted name may serve other names too, and these are not granted.
import { readHostName } from "../../core/host-name.ts";
import { LIMITS } from "../../core/limits.ts";

export type FirstBytes =
  /** More bytes are needed to tell. */
  | { readonly kind: "incomplete" }
  /** TLS; null if it names no host. */
  | { readonly kind: "tls"; readonly host: string | null }
  /** HTTP, of which each request has to be read. */
  | { readonly kind: "http" }
  /** Another protocol, which names no host. */
  | { readonly kind: "other" };

const INCOMPLETE = { kind: "incomplete" } as const;
const OTHER = { kind: "other" } as const;
const HTTP = { kind: "http" } as const;
const NAMELESS = { kind: "tls", host: null } as const;

export function readFirstBytes(bytes: Buffer): FirstBytes {
  if (bytes.length === 0) return INCOMPLETE;
  return bytes[0] === HANDSHAKE ? readClientHello(bytes) : readRequestLine(bytes);
}

/** Servers accept empty lines before a request, and some accept other white space. */
const LEADING = /^[\t-\r \x1c-\x1f\x85\xa0]+/;
/** A method, and what follows it. */
const METHOD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)([\s\S]?)/;
const SEPARATORS = "\t\v\f\r\n \x1c\x1d\x1e\x1f\x85\xa0";

/**
 * Whatever some server might read as a request counts as HTTP, also with bytes that no URL has: the parser of hotcell is
 * stricter and then ends the connection.
 */
function readRequestLine(bytes: Buffer): FirstBytes {
  const text = bytes.toString("latin1").replace(LEADING, "");
  const isFull = bytes.length >= LIMITS.maxFirstBytes;
  if (text === "") return isFull ? HTTP : INCOMPLETE;
  const [, method, next] = METHOD.exec(text) ?? [];
  if (method === undefined) return OTHER;
  if (next !== "" && !SEPARATORS.includes(next!)) return OTHER;
  const end = text.indexOf("\n");
  if (end === -1) return isFull ? HTTP : isPacket(text) ? OTHER : INCOMPLETE;
  return /HTTP\/\d|https?:\/\//i.test(text.slice(0, end)) ? HTTP : OTHER;
}

/** Git and LDAP begin with a length, and have no lines. No server reads a line like that as a request. */
function isPacket(text: string): boolean {
  return /^\d/.test(text) && text.includes("\0");
}

const HANDSHAKE = 0x16;
const RECORD_HEADER_BYTES = 5;
const CLIENT_HELLO = 1;

function readClientHello(bytes: Buffer): FirstBytes {
  const { message, isWhole } = joinHandshake(bytes);
  if (message.length < 4) return isWhole ? NAMELESS : waitWithin(bytes);
  const length = message.readUIntBE(1, 3);
  if (message[0] !== CLIENT_HELLO) return NAMELESS;
  if (message.length < 4 + length) return isWhole ? NAMELESS : waitWithin(bytes);
  return { kind: "tls", host: serverName(message.subarray(4, 4 + length)) };
}

function waitWithin(bytes: Buffer): FirstBytes {
  return bytes.length < LIMITS.maxFirstBytes ? INCOMPLETE : NAMELESS;
}

/** A message may span several records. `isWhole`: what follows is no handshake. */
function joinHandshake(bytes: Buffer): { readonly message: Buffer; readonly isWhole: boolean } {
  const parts: Buffer[] = [];
  let at = 0;
  while (at + RECORD_HEADER_BYTES <= bytes.length) {
    if (bytes[at] !== HANDSHAKE) return { message: Buffer.concat(parts), isWhole: true };
    const end = at + RECORD_HEADER_BYTES + bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(at + RECORD_HEADER_BYTES, end));
    at = end;
  }
  return { message: Buffer.concat(parts), isWhole: false };
}

/** RFC 8446, section 4.1.2, and RFC 6066, section 3. Null if the message has no host name, or is malformed. */
function serverName(hello: Buffer): string | null {
  try {
    let at = 2 + 32;
    at += 1 + hello.readUInt8(at);
    at += 2 + hello.readUInt16BE(at);
    at += 1 + hello.readUInt8(at);
    const end = at + 2 + hello.readUInt16BE(at);
    at += 2;
    const names: (string | null)[] = [];
    while (at + 4 <= end) {
      const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
      if (type === 0) names.push(readNameList(hello.subarray(at + 4, at + 4 + length)));
      at += 4 + length;
    }
    return names.length === 1 ? names[0]! : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Exactly one name: a server might use any of several. */
function readNameList(list: Buffer): string | null {
  const length = list.readUInt16BE(3);
  const isOne = list.readUInt16BE(0) === 3 + length && list.length === 5 + length && list[2] === 0;
  return isOne ? readHostName(list.subarray(5).toString("latin1")) : null;
}
