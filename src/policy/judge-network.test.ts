import { describe, expect, test } from "vitest";
import { readHostPort } from "../core/host-name.ts";
import { TRUST_LEVELS } from "../core/types.ts";
import { judgeNetwork } from "./judge-network.ts";
import { networkRule } from "./network-pattern.ts";
import { parseRules } from "./rule.ts";

const rulesOf = (...texts: string[]) => parseRules(texts.map((text) => ({ text, source: "options" })));
const judge = (target: string, ...rules: string[]) =>
  judgeNetwork(readHostPort(target)!, { rules: rulesOf(...rules) });
const decide = (target: string, ...rules: string[]) => judge(target, ...rules).decision;

describe("a host without a rule", () => {
  test.each(TRUST_LEVELS)("is denied at trust level %s, with the rule that would allow it", (trust) => {
    expect(judgeNetwork({ host: "example.com", port: 443 }, { trust, rules: [] } as never)).toEqual({
      decision: "deny",
      rule: { text: "no network", source: "built-in" },
      reason:
        'No rule is about "example.com:443", and commands have no network without one. To allow it: "allow network(example.com:443)".',
    });
  });

  test.each(["allow *", "ask *", "allow run_command"])(
    "is denied with the rule %s, which is about tools",
    (rule) => {
      expect(decide("example.com:443", rule)).toBe("deny");
    },
  );
});

describe("a host that no rule can open", () => {
  test.each([
    ["10.0.0.1:443", "commands reach hosts by name, not by address; write the name of the host"],
    ["[2001:4860::1]:443", "commands reach hosts by name, not by address; write the name of the host"],
    ["localhost:80", expect.stringContaining("in a command localhost is the cell itself")],
  ])("%s is denied though every host is allowed, and no rule is proposed", (target, problem) => {
    const { decision, reason } = judge(target, "allow network");
    expect([decision, reason.replace(/^No rule opens "[^"]+": /, "").replace(/\.$/, "")]).toEqual([
      "deny",
      problem,
    ]);
    expect(networkRule(readHostPort(target)!)).toBeNull();
  });
});

describe("a rule", () => {
  test.each([
    ["allow network(example.com:443)", "example.com:443", "allow"],
    ["allow network(EXAMPLE.com.:443)", "example.com:443", "allow"],
    ["allow network(example.com:443)", "example.com:80", "deny"],
    ["allow network(example.com:443)", "www.example.com:443", "deny"],
    ["allow network(example.com:443)", "example.com.evil.test:443", "deny"],
    ["allow network(*.example.com:443)", "a.b.example.com:443", "allow"],
    ["allow network(*.example.com:443)", "example.com:443", "deny"],
    ["allow network(*.example.com:443)", "evilexample.com:443", "deny"],
    ["allow network(example.com:*)", "example.com:8080", "allow"],
    ["allow network(*:443)", "example.com:443", "allow"],
    ["allow network(*:443)", "host.hotcell.internal:443", "deny"],
    ["allow network", "example.com:1", "allow"],
    ["ask network", "example.com:1", "ask"],
    ["allow network(host.hotcell.internal:3000)", "host.hotcell.internal:3000", "allow"],
    ["allow network(host.hotcell.internal:3000)", "host.hotcell.internal:3001", "deny"],
  ] as const)("%s: %s is %s", (rule, target, decision) => {
    expect(decide(target, rule)).toBe(decision);
  });

  test("deny beats ask, ask beats allow, and the verdict names the rule", () => {
    const rules = [
      "allow network(*.example.com:443)",
      "ask network(a.example.com:443)",
      "deny network(b.example.com:*)",
    ];
    expect(decide("a.example.com:443", ...rules)).toBe("ask");
    expect(decide("c.example.com:443", ...rules)).toBe("allow");
    expect(judge("b.example.com:443", ...rules)).toMatchObject({
      decision: "deny",
      rule: { text: rules[2] },
    });
  });

  test('"*" leaves it its effect, for the network is no tool', () => {
    expect(decide("example.com:443", "ask *", "allow network(example.com:443)")).toBe("allow");
  });

  test("that the project brings along opens nothing, and restricts what another rule opens", () => {
    const project = { text: "ask network", source: "hotcell.config.json", ofProject: true };
    const target = { host: "example.com", port: 443 };
    expect(judgeNetwork(target, { rules: parseRules([{ ...project, line: 3 }]) })).toMatchObject({
      decision: "deny",
      reason:
        'Only the project\'s own rule "ask network" at hotcell.config.json:3 is about "example.com:443", and such a rule opens no network. To allow it: "allow network(example.com:443)".',
    });
    const own = { text: "allow network(example.com:443)", source: "options" };
    expect(
      judgeNetwork(target, { rules: parseRules([own, { ...project, text: "ask network(example.com:*)" }]) })
        .decision,
    ).toBe("ask");
  });
});

describe("a rule that can't match is refused with what to write", () => {
  test.each([
    ["https://example.com/x", 'a rule names a host and a port, no URL; write "network(example.com:443)"'],
    ["http://example.com", 'a rule names a host and a port, no URL; write "network(example.com:80)"'],
    [
      "http://example.com:8080/x",
      'a rule names a host and a port, no URL; write "network(example.com:8080)"',
    ],
    ["example.com:443/x", 'a rule names a host and a port, no path; write "network(example.com:443)"'],
    ["example.com", 'it has no port; write "network(example.com:443)"'],
    ["*.example.com", 'it has no port; write "network(*.example.com:443)"'],
    ["example.com:https", '"https" is no port; write a number from 1 to 65535, or *'],
    ["example.com:0", '"0" is no port; write a number from 1 to 65535, or *'],
    ["example.com:70000", '"70000" is no port; write a number from 1 to 65535, or *'],
    ["10.0.0.1:443", "commands reach hosts by name, not by address; write the name of the host"],
    ["[::1]:443", "commands reach hosts by name, not by address; write the name of the host"],
    [
      "a*b.example.com:443",
      '"a*b.example.com" is no host name; write it like "example.com" or "*.example.com"',
    ],
    ["exa mple.com:443", '"exa mple.com" is no host name; write it like "example.com" or "*.example.com"'],
    [
      "localhost:3000",
      'in a command localhost is the cell itself; write "network(host.hotcell.internal:3000)" for this machine',
    ],
    [
      "host.hotcell.internal:*",
      'host.hotcell.internal is this machine: it needs a rule with its name and one port; write "network(host.hotcell.internal:3000)"',
    ],
    [
      "*.hotcell.internal:80",
      'host.hotcell.internal is this machine: it needs a rule with its name and one port; write "network(host.hotcell.internal:3000)"',
    ],
  ])("network(%s)", (pattern, problem) => {
    expect(() => rulesOf(`allow network(${pattern})`)).toThrow(
      expect.objectContaining({
        code: "POLICY_INVALID",
        message: expect.stringContaining(`its pattern can never match: ${problem}.`),
      }),
    );
  });
});
