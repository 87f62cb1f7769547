// A WebSocket client on a bare connection, for frames that no library sends.
import { randomBytes } from "node:crypto";
import net from "node:net";

export interface SocketRow {
  readonly id: string;
  readonly cat: string;
  readonly expected: "accept" | "reject" | "either";
  readonly status?: number;
  readonly reason: string;
  readonly request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly token: string | null;
    readonly frames: readonly RowFrame[];
  };
}

type RowFrame =
  | string
  | { readonly bin: string }
  | { readonly fragments: number }
  | { readonly close: number; readonly reason: string }
  | { readonly raw: string }
  | { readonly unmasked: number }
  | { readonly rsv: number }
  | { readonly deflateBomb: number };

/** The status of the answer, and the connection. */
export function connectRaw(
  port: number,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly socket: net.Socket }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1");
    const lines = Object.entries({
      ...headers,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      "sec-websocket-extensions": "permessage-deflate",
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.on("error", () => {});
    socket.on("close", () => reject(new Error("closed without an answer")));
    socket.once("data", (data) => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(String(data))?.[1];
      resolve({ status: Number(status), socket });
    });
    socket.write(`GET /ws HTTP/1.1\r\n${lines.join("")}\r\n`);
  });
}

/** "closed" when the server ends the connection or sends a close frame, "error" when it sends a chat:error. */
export function waitForRefusal(socket: net.Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.on("close", () => resolve("closed"));
    socket.on("data", (data) => {
      if (data[0] === 0x88) resolve("closed");
      if (data.includes('"type":"chat:error"')) resolve("error");
    });
  });
}

const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8 } as const;

export function* encodeFrame(frame: RowFrame): Generator<Buffer> {
  if (typeof frame === "string") yield encode(0x80 | OPCODES.text, Buffer.from(frame));
  else if ("bin" in frame) yield encode(0x80 | OPCODES.binary, Buffer.from(frame.bin, "hex"));
  else if ("close" in frame) {
    const code = Buffer.alloc(2);
    code.writeUInt16BE(frame.close);
    yield encode(0x80 | OPCODES.close, Buffer.concat([code, Buffer.from(frame.reason)]));
  } else if ("raw" in frame) yield Buffer.from(frame.raw, "hex");
  else if ("unmasked" in frame) yield Buffer.from([0x81, 2, 0x7b, 0x7d]);
  else if ("rsv" in frame || "deflateBomb" in frame)
    yield encode(0x80 | 0x40 | OPCODES.text, Buffer.alloc(100));
  else {
    yield encode(OPCODES.text, Buffer.alloc(0));
    const one = encode(OPCODES.continuation, Buffer.alloc(0));
    yield Buffer.concat(Array.from({ length: frame.fragments }, () => one));
  }
}

/** Masked, as a client's frames must be. */
function encode(first: number, content: Buffer): Buffer {
  const long = content.length > 125;
  const length = long
    ? Buffer.from([0x80 | 126, content.length >> 8, content.length & 255])
    : Buffer.from([0x80 | content.length]);
  return Buffer.concat([Buffer.from([first]), length, Buffer.alloc(4), content]);
}
