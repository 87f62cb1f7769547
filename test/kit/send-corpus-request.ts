// Sends the request of a row of server.jsonl over a socket of its own, exactly as the row has it.
import fs from "node:fs";
import net from "node:net";

export interface ServerRow {
  readonly id: string;
  readonly cat: string;
  readonly expected: "accept" | "reject" | "either";
  readonly status?: number | string;
  readonly reason: string;
  readonly request: {
    readonly raw?: string;
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly body_gen?: readonly (readonly [string, number])[];
    readonly repeat?: number;
  };
}

export function readServerRows(...cats: readonly string[]): ServerRow[] {
  return fs
    .readFileSync(new URL("../corpus/server.jsonl", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ServerRow)
    .filter(({ cat }) => cats.includes(cat));
}

export interface SendOptions {
  readonly port: number;
  readonly token: string;
  /** Replaces the row's own, for a server with other paths and bodies. */
  readonly path?: string;
  readonly body?: string;
}

/** The status of the answer; null if the server closed the connection without one. */
export function sendRow({ request }: ServerRow, options: SendOptions): Promise<number | null> {
  return sendRaw(options.port, fill(request.raw ?? toRaw(request, options), options));
}

export function sendRaw(port: number, bytes: string): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
      if (status === undefined || status === "100") return;
      resolve(Number(status));
      socket.destroy();
    });
    socket.on("error", () => {}).on("close", () => resolve(null));
    socket.write(bytes, "latin1");
  });
}

/** All that the server sends until it closes the connection. */
export function readRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => {}).on("close", () => resolve(text));
    socket.write(bytes, "latin1");
  });
}

/** The names of the headers of an answer, without `date`, which Node adds to some. */
export function headersIn(answer: string): string[] {
  const [, ...lines] = answer.split("\r\n\r\n", 1)[0]!.split("\r\n");
  return lines.map((line) => line.split(":", 1)[0]!.toLowerCase()).filter((name) => name !== "date");
}

function toRaw(
  { method, path, headers = {}, body, body_gen }: ServerRow["request"],
  options: SendOptions,
): string {
  const generated = body_gen?.map(([text, count]) => text.repeat(count)).join("");
  const sent = body === undefined ? "" : (generated ?? options.body ?? body);
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(sent)) };
  const lines = Object.entries({ ...length, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${options.path ?? path} HTTP/1.1`, ...lines, "", sent].join("\r\n");
}

function fill(text: string, { port, token }: SendOptions): string {
  return text
    .replaceAll("${PORT}", String(port))
    .replaceAll("${TOKEN_PREFIX}", token.slice(0, -1))
    .replaceAll("${TOKEN}", token);
}
