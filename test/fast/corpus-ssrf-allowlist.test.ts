// The rows of the corpus about an allowlist of hosts: judged by rules, and then dialled with a fake resolver.
import { readFileSync } from "node:fs";
import { isIP, Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type HostPort, readHostPort } from "../../src/core/host-name.ts";
import { parseUrl } from "../../src/core/parse-url.ts";
import { createDial } from "../../src/net/dial.ts";
import { judgeNetwork } from "../../src/policy/judge-network.ts";
import { parseRules } from "../../src/policy/rule.ts";

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly url: string;
  readonly expected: "allow" | "deny" | "either";
  readonly resolver: Readonly<Record<string, readonly string[]>>;
  readonly env: { readonly ALLOW_HOSTS: string };
  readonly reason: string;
}

const ROWS: readonly Row[] = readFileSync(new URL("../corpus/ssrf.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ cat }) => cat === "allowlist");

/** What a proxy would judge of a URL or a CONNECT line; null if it refuses the text itself. */
function targetOf(written: string): string | null {
  const [, place] = /^CONNECT (\S+)/s.exec(written) ?? [];
  if (place !== undefined) return place;
  const url = parseUrl(written);
  if (url === null) return null;
  const { hostname, port, username } = url;
  return username === "" ? `${hostname}:${port || 80}` : null;
}

const rulesOf = ({ env }: Row) =>
  parseRules(
    env.ALLOW_HOSTS.split(",").flatMap((host) =>
      [80, 443].map((port) => ({ text: `allow network(${host}:${port})`, source: "options" })),
    ),
  );

/** Connects as far as the check of the address; gives the names that were looked up. */
async function dialAs(resolver: Row["resolver"], target: HostPort): Promise<string[]> {
  const names: string[] = [];
  const dial = createDial({
    async resolve(host) {
      names.push(host);
      return (resolver[host] ?? []).map((address) => ({ address, family: isIP(address) }));
    },
    connect: ([first]) => Object.defineProperty(new Socket(), "remoteAddress", { value: first!.address }),
  });
  (await dial(target, new AbortController().signal)).destroy();
  return names;
}

describe("ssrf.jsonl: rows about an allowlist of hosts", () => {
  test.each(ROWS.map((row) => [row.id, row.reason, row] as const))("%s %s", async (_id, _reason, row) => {
    const written = targetOf(row.url);
    const target = written === null ? null : readHostPort(written);
    const isAllowed =
      target !== null &&
      judgeNetwork(target, { rules: rulesOf(row) }).decision === "allow" &&
      (await dialAs(row.resolver, target).catch(() => null)) !== null;
    if (row.expected !== "either") expect(isAllowed).toBe(row.expected === "allow");
  });

  test("ssrf-278 an ideographic dot is judged and looked up as a dot, and that name must have a public address", async () => {
    const row = ROWS.find(({ id }) => id === "ssrf-278")!;
    const target = readHostPort(targetOf(row.url)!)!;
    expect(target).toEqual({ host: "evil.allowed.example", port: 80 });
    expect(judgeNetwork(target, { rules: rulesOf(row) })).toMatchObject({
      decision: "allow",
      rule: { text: "allow network(*.allowed.example:80)" },
    });
    await expect(dialAs(row.resolver, target)).rejects.toThrow(
      "SSRF: private network access denied for evil.allowed.example (10.0.0.1)",
    );
    const elsewhere = { ...row.resolver, "evil.allowed.example": ["93.184.216.34"] };
    expect(await dialAs(elsewhere, target)).toEqual(["evil.allowed.example"]);
  });
});
