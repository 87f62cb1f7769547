import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startRawServer } from "../../test/kit/raw-server.ts";
import { tempDir } from "../../test/kit/worlds/temp-cell.ts";
import type { Approve } from "../approval/approve.ts";
import { openRemembered, type Remember } from "../approval/remembered.ts";
import { HotcellError } from "../core/errors.ts";
import type { Json } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { RuleOrigin } from "../core/types.ts";
import type { Log } from "../log/log.ts";
import { parseRules } from "../policy/rule.ts";
import { createNetworkGate, type NetworkGateParts } from "./network-gate.ts";

function makeGate(event: Log["event"], ...rules: string[]) {
  return createGate(rules, { log: { event } as Partial<Log> as Log });
}

function createGate(rules: readonly (string | RuleOrigin)[], more: Partial<NetworkGateParts> = {}) {
  return createNetworkGate({
    policy: { rules: parseRules(rules.map(toOrigin)) },
    approve: null,
    log: { event: () => {} } as Partial<Log> as Log,
    allowedPrivateHosts: [],
    isDirect: false,
    asker: { agentId: null, session: null, project: "/p" },
    remembered: openRemembered(tempDir()),
    ...more,
  });
}

const toOrigin = (rule: string | RuleOrigin) =>
  typeof rule === "string" ? { text: rule, source: "options" } : rule;
const ofProject = (text: string) => ({ text, source: "hotcell.config.json", line: 1, ofProject: true });

const signal = new AbortController().signal;
const target = { host: "example.com", port: 443 };

describe("a call with very many connections", () => {
  test("has a record for each up to the limit, and then no more; the next call has a new limit", async () => {
    const records: Readonly<Record<string, Json>>[] = [];
    const gate = makeGate((_kind, fields) => records.push(fields));
    const watch = gate.watch("c1");
    for (let count = 0; count < LIMITS.maxConnectionsPerCall + 5; count++)
      await expect(gate.open(target, signal)).rejects.toThrow(
        expect.objectContaining({ code: "NETWORK_DENIED" }),
      );
    gate.refuse("x", "it is no host name with a port");
    expect(records.length).toBe(LIMITS.maxConnectionsPerCall);
    expect(watch.refused().map(({ host }) => host)).toEqual(["example.com:443", "further hosts"]);
    watch.end();
    gate.watch("c2");
    await expect(gate.open(target, signal)).rejects.toThrow('No rule is about "example.com:443"');
    expect(records.at(-1)).toMatchObject({ host: "example.com", port: 443, decision: "deny", calls: ["c2"] });
  });
});

test("the record of a connection has the calls that ran when it was opened, also if they end before it", async () => {
  const server = await startRawServer(() => {});
  onTestFinished(() => server.close());
  const { port } = server;
  const records: Readonly<Record<string, Json>>[] = [];
  const gate = makeGate((_, fields) => records.push(fields), `allow network(host.hotcell.internal:${port})`);
  const watch = gate.watch("c1");
  const socket = await gate.open({ host: "host.hotcell.internal", port }, signal);
  watch.end();
  gate.watch("c2");
  await once(socket.destroy(), "close");
  expect(records).toMatchObject([{ host: "host.hotcell.internal", decision: "allow", calls: ["c1"] }]);
});

test("a log that can't be written refuses a connection, and breaks nothing", async () => {
  const gate = makeGate(() => {
    throw new HotcellError("LOG_UNAVAILABLE", "Could not write the log.");
  });
  gate.refuse("x", "it is no host name with a port");
  await expect(gate.open(target, signal)).rejects.toThrow(
    expect.objectContaining({ code: "LOG_UNAVAILABLE" }),
  );
});

test("targets are the exact names of allow and ask rules", () => {
  const gate = makeGate(
    () => {},
    "allow network(a.example:443)",
    "ask network(b.example:80)",
    "deny network(c.example:1)",
    "allow network(*.d.example:443)",
  );
  expect([gate.targets, gate.hasGrants]).toEqual([
    [
      { host: "a.example", port: 443 },
      { host: "b.example", port: 80 },
    ],
    true,
  ]);
});

test("ask rules that the project brings along are no targets and no grants, and do not open this machine", async () => {
  const { port, close } = await startRawServer(() => {});
  onTestFinished(close);
  const here = { host: "host.hotcell.internal", port };
  const ask = `ask network(host.hotcell.internal:${port})`;
  const approve = vi.fn(() => ({ approved: true }));
  const own = createGate([ofProject(ask)], { approve });
  expect([own.targets, own.hasGrants]).toEqual([[], false]);
  await expect(own.open(here, signal)).rejects.toThrow(`Only the project's own rule "${ask}" at`);
  expect(approve).not.toHaveBeenCalled();
  const withPublic = createGate(["allow network", ofProject(ask)], { approve });
  await expect(withPublic.open(here, signal)).rejects.toThrow("private network access denied");
  const granted = createGate([`allow ${ask.slice(4)}`], { approve });
  (await granted.open(here, signal)).destroy();
});

describe("under ask network", () => {
  // Nothing listens there: what is refused was refused by the connection, or by the person.
  const here = { host: "host.hotcell.internal", port: 1 };
  const openAsking = (session: string | null, remember: Remember, remembered = openRemembered(tempDir())) => {
    const asked: unknown[] = [];
    const approve: Approve = ({ rememberFor, allowRule }) => {
      asked.push({ rememberFor, allowRule });
      return { approved: true, remember };
    };
    const asker = { agentId: null, session, project: "/p" };
    const gate = createGate(["ask network(host.hotcell.internal:1)"], { approve, asker, remembered });
    return { gate, asked, remembered };
  };

  test("a yes for the session holds in the next cell of that session, and in no other", async () => {
    const { gate, asked, remembered } = openAsking("a", { for: "session" });
    await expect(gate.open(here, signal)).rejects.toThrow("Could not connect to");
    expect(asked).toEqual([{ rememberFor: ["session"], allowRule: null }]);
    const again = openAsking("a", { for: "session" }, remembered);
    await expect(again.gate.open(here, signal)).rejects.toThrow("Could not connect to");
    expect(again.asked).toEqual([]);
    const other = openAsking("b", { for: "session" }, remembered);
    await expect(other.gate.open(here, signal)).rejects.toThrow("Could not connect to");
    expect(other.asked.length).toBe(1);
    for (const { id } of remembered.list()) remembered.revoke(id);
    const revoked = openAsking("a", { for: "session" }, remembered);
    await expect(revoked.gate.open(here, signal)).rejects.toThrow("Could not connect to");
    expect(revoked.asked.length).toBe(1);
  });

  test("a yes for a call is none for a call that began while the question waited", async () => {
    const asked: [string, (approved: boolean) => void][] = [];
    const approve: Approve = ({ callId }) =>
      new Promise((resolve) => asked.push([callId, (approved) => resolve({ approved })]));
    const gate = createGate(["ask network(host.hotcell.internal:1)"], { approve });
    const open = () => gate.open(here, signal).catch((error) => error.code);
    gate.watch("c1");
    const first = [open(), open()];
    const second = gate.watch("c2");
    const both = open();
    await vi.waitUntil(() => asked.length === 2);
    for (const [callId, answer] of asked) answer(callId === "c1");
    expect(await Promise.all([...first, both])).toEqual(["NETWORK_ERROR", "NETWORK_ERROR", "NETWORK_DENIED"]);
    expect(asked.map(([callId]) => callId)).toEqual(["c1", "c2"]);
    second.end();
    await open();
    expect(asked.length).toBe(2);
  });

  test.each<[string, string | null, Remember, string]>([
    ["the project", "a", { for: "project" }, "this call or this session, not for this project"],
    ["the run", "a", { for: "run" }, "this call or this session, not for this run"],
    ["a session that there is not", null, { for: "session" }, "this call, not for this session"],
    [
      "a rule",
      "a",
      { for: "session", rule: "allow network(*:*)" },
      "such a yes holds for this host and port",
    ],
  ])("a yes for %s approves nothing, and says so", async (_, session, remember, says) => {
    const { gate, remembered } = openAsking(session, remember);
    await expect(gate.open(here, signal)).rejects.toThrow(says);
    expect(remembered.list()).toEqual([]);
  });

  test("an answer that does not come within 30 s is a no, and the person is asked no longer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const records: unknown[] = [];
    const event: Log["event"] = (kind, { approved }) => void records.push([kind, approved]);
    const asked: AbortSignal[] = [];
    const gate = createGate(["ask network(host.hotcell.internal:1)"], {
      log: { event } as Partial<Log> as Log,
      approve: (_request, asking) => {
        asked.push(asking);
        return new Promise(() => {});
      },
    });
    const refused = vi.fn();
    const opening = gate.open(here, signal).catch(refused);
    await vi.advanceTimersByTimeAsync(29_999);
    expect([refused.mock.calls.length, asked.map(({ aborted }) => aborted)]).toEqual([0, [false]]);
    await vi.advanceTimersByTimeAsync(1);
    await opening;
    expect(refused.mock.calls).toEqual([
      [
        expect.objectContaining({
          code: "NETWORK_DENIED",
          message: "The question about host.hotcell.internal:1 did not end within 30000 ms.",
        }),
      ],
    ]);
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
    expect(records).toEqual([
      ["approval.asked", undefined],
      ["approval.answered", false],
      ["network.connect", undefined],
    ]);
  });
});
