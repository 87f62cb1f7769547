// Every row of the corpus about requests, with a fake resolver; each connection ends at a server on loopback.
import { readFileSync } from "node:fs";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HotcellError } from "../../src/core/errors.ts";
import { readHostPort } from "../../src/core/host-name.ts";
import type { Address } from "../../src/net/dial.ts";
import { createHttpClient, type HttpResponse } from "../../src/net/http-client.ts";
import { httpAnswer, type RawServer, startRawServer } from "../kit/raw-server.ts";

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly url: string | { readonly gen: readonly (readonly [string, number])[] };
  readonly resolver: Readonly<Record<string, readonly string[] | { readonly seq: readonly string[][] }>>;
  readonly redirects: readonly {
    readonly from: string;
    readonly status: number;
    readonly location: string;
  }[];
  readonly expected: "allow" | "deny" | "either";
  readonly stage?: string;
  readonly must_not_dial?: readonly string[];
  readonly reason: string;
  readonly tags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const ALL: readonly Row[] = readFileSync(new URL("../corpus/ssrf.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

/** Rows of category allowlist are about rules: corpus-ssrf-allowlist.test.ts. */
const ROWS = ALL.filter(({ cat }) => cat !== "allowlist");

let server: RawServer;
let row: Row;
beforeAll(async () => {
  server = await startRawServer((socket, request) => socket.write(answerTo(request)));
});
afterAll(() => server.close());

function answerTo(request: string): string {
  const path = request.split(" ")[1]!;
  const host = /^host: (.*)$/im.exec(request)?.[1];
  const redirect = row.redirects.find(({ from }) => from === `http://${host}${path}`);
  const body = row.tags?.find((tag) => tag.startsWith("body:"))?.slice(5) ?? "reached";
  return redirect === undefined
    ? httpAnswer(body)
    : `HTTP/1.1 ${redirect.status} Moved\r\nlocation: ${redirect.location}\r\ncontent-length: 0\r\n\r\n`;
}

interface Tried {
  readonly response: HttpResponse | null;
  readonly error: unknown;
  readonly dialled: readonly string[];
}

async function request(tried: Row): Promise<Tried> {
  row = tried;
  const dialled: string[] = [];
  const answers = new Map(Object.entries(tried.resolver).map(([name, given]) => [name, answersOf(given)]));
  const client = createHttpClient({
    allowedPrivateHosts: allowedFor(tried.env?.ROLE),
    async resolve(host) {
      const addresses = answers.get(host)?.();
      if (addresses === undefined) throw Object.assign(new Error("not found"), { code: "ENOTFOUND" });
      return addresses.map((address) => ({ address, family: net.isIP(address) }));
    },
    connect: (addresses: readonly Address[]) => {
      dialled.push(...addresses.map(({ address }) => address));
      const socket = net.connect(server.port, "127.0.0.1");
      return Object.defineProperty(socket, "remoteAddress", { value: addresses[0]!.address });
    },
  });
  const url =
    typeof tried.url === "string"
      ? tried.url
      : tried.url.gen.map(([text, count]) => text.repeat(count)).join("");
  const headers = tried.tags
    ?.filter((tag) => tag.startsWith("header:"))
    .map((tag) => tag.slice(7).split(": "));
  try {
    const response = await client.request(
      { url, headers: Object.fromEntries(headers ?? []) },
      new AbortController().signal,
    );
    return { response, error: null, dialled };
  } catch (error) {
    return { response: null, error, dialled };
  } finally {
    await client.close();
  }
}

/** A sequence gives its next answer for each lookup, and then the last one. */
function answersOf(given: Row["resolver"][string]): () => readonly string[] {
  if (!("seq" in given)) return () => given;
  let at = 0;
  return () => given.seq[Math.min(at++, given.seq.length - 1)]!;
}

/** What an operator would allow for each part that dials. */
function allowedFor(role: string | undefined) {
  const pair = { "model-gateway": "localhost:11434", web_search: "localhost:8080" }[role ?? ""];
  return pair === undefined ? [] : [readHostPort(pair)!];
}

describe("003 SSRF validator: ssrf.jsonl", () => {
  test("has every row but those about rules", () => {
    expect(ALL.length - ROWS.length).toBe(ALL.filter(({ cat }) => cat === "allowlist").length);
    expect(ROWS.length).toBeGreaterThan(150);
  });

  test.each(ROWS.map((each) => [each.id, each.reason, each] as const))(
    "%s %s",
    async (_id, _reason, tried) => {
      const saved = { ...process.env };
      Object.assign(process.env, tried.env);
      const { response, error, dialled } = await request(tried).finally(() => {
        process.env = saved;
      });
      const forbidden = tried.must_not_dial ?? [];
      expect(dialled.filter((address) => forbidden.includes(address))).toEqual([]);
      if (error !== null) expect(error).toBeInstanceOf(HotcellError);
      if (tried.expected === "deny") {
        expect(response).toBeNull();
        const isRefusedAtDial = tried.stage === "dial" && tried.cat !== "userinfo";
        if (isRefusedAtDial)
          expect((error as HotcellError).message).toMatch(/^SSRF: private network access denied for /);
      }
      if (tried.expected !== "allow") return;
      expect(dialled.length).toBeGreaterThan(0);
      // The server speaks no TLS: there the connection is what was allowed.
      if (String(tried.url).startsWith("https:")) expect(error).toMatchObject({ code: "NETWORK_ERROR" });
      else expect(response?.status).toBe(200);
    },
  );

  test("ssrf-153 SSRF blocked: the error text of 003, word for word", async () => {
    const { error } = await request(ROWS.find(({ id }) => id === "ssrf-153")!);
    expect(error).toMatchObject({
      code: "NETWORK_DENIED",
      message: "SSRF: private network access denied for metadata.internal (169.254.169.254)",
    });
  });

  test("ssrf-290 a Host header of the caller is not sent", async () => {
    await request(ROWS.find(({ id }) => id === "ssrf-290")!);
    expect(server.requests.at(-1)).toMatch(/^host: public\.example$/im);
    expect(server.requests.at(-1)).not.toContain("127.0.0.1");
  });

  test.each(["ssrf-292", "ssrf-293"])("%s a line break in a URL is never sent raw", async (id) => {
    await request(ROWS.find((each) => each.id === id)!);
    expect(server.requests.at(-1)!.split("\r\n")[0]).toMatch(/^GET \S+ HTTP\/1\.1$/);
    expect(server.requests.at(-1)).not.toMatch(/^X-Injected:/im);
  });
});
