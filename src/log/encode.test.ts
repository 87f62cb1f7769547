import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { inertJson } from "../core/inert-json.ts";
import { LIMITS } from "../core/limits.ts";
import { createEncoder } from "./encode.ts";
import { createRedactor } from "./redact.ts";

const encoder = createEncoder(createRedactor(["hunter2", "424242"]));
const logged = (value: unknown) => JSON.parse(encoder.value(value));
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

function nest(levels: number): unknown {
  let value: unknown = "core";
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
}

describe("a value in the log", () => {
  test("is itself when it is small and plain", () => {
    const value = { path: "src/a.ts", range: [1, 20], deep: { all: true, none: null }, size: 1.5e300 };
    expect(logged(value)).toEqual(value);
  });

  const contentKeys = [
    "content",
    "stdout",
    "stderr",
    "text",
    "old",
    "new",
    "body",
    "Content",
    "contentPreview",
    "output",
  ];
  test.each(contentKeys)("under %j is size, hash and preview, however short", (key) => {
    expect(logged({ [key]: "a: hunter2" })).toEqual({
      [key]: { bytes: 10, sha256: sha256("a: hunter2"), preview: "a: [redacted]" },
    });
  });

  test("is never content through a list, and what else an object under such a key holds stays", () => {
    const summary = { bytes: 1, sha256: sha256("x"), preview: "x" };
    expect(logged({ before: ["x"], output: { path: "a", text: "x" } })).toEqual({
      before: [summary],
      output: { path: "a", text: summary },
    });
  });

  test("that is a long string is size, hash and preview", () => {
    const text = "é".repeat(LIMITS.maxLoggedStringBytes / 2 + 1);
    expect(logged(text)).toEqual({
      bytes: LIMITS.maxLoggedStringBytes + 2,
      sha256: sha256(text),
      preview: "é".repeat(LIMITS.logPreviewChars),
    });
  });

  test("of bytes is size and hash", () => {
    const bytes = new Uint8Array([0, 255]);
    expect(logged({ bytes, part: new DataView(bytes.buffer, 1) })).toEqual({
      bytes: { bytes: 2, sha256: sha256(bytes) },
      part: { bytes: 1, sha256: sha256(bytes.subarray(1)) },
    });
  });

  test("under a key that names a credential is redacted, with all that is below", () => {
    expect(logged({ apiKey: "k", Authorization: { scheme: ["x"], on: true }, tokens: 3 })).toEqual({
      apiKey: "[redacted]",
      Authorization: { scheme: ["[redacted]"], on: true },
      tokens: 3,
    });
  });

  test("is the same the second time, and after however many other keys", () => {
    const value = { apiKey: "k", content: "text", "my hunter2": 1, cwd: "pwd=/x", plain: "pwd=/x" };
    const first = encoder.value(value);
    const keys = Array.from({ length: 3000 }, (_, at) => `key ${at}`);
    const others = createEncoder(createRedactor(["hunter2"]));
    for (const key of keys) others.value({ [key]: key });
    expect([encoder.value(value), others.value(value)]).toEqual([first, first]);
  });

  test("has no secret in its keys either", () => {
    expect(logged({ "my hunter2": 1 })).toEqual({ "my [redacted]": 1 });
  });

  test("is cut at its depth, its items, its keys and its bytes, and says so", () => {
    const items = LIMITS.maxLoggedItems;
    expect(encoder.value(nest(100_000))).toBe(
      `${'{"in":'.repeat(LIMITS.maxLoggedDepth)}"[deeper]"${"}".repeat(LIMITS.maxLoggedDepth)}`,
    );
    expect(logged(new Array(1e9).fill(0, 0, items))).toEqual([
      ...Array(items).fill(0),
      `[${1e9 - items} more]`,
    ]);
    expect(
      Object.keys(logged(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, at])))),
    ).toHaveLength(LIMITS.maxLoggedMembers + 1);
    const wide = Array(items).fill(Array(items).fill("\u0001".repeat(200)));
    expect(encoder.value(wide).length).toBeLessThan(LIMITS.maxLoggedValueBytes + 4096);
    expect(logged(wide).at(-1)).toMatch(/^\[\d+ more\]$/);
  });

  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const cheap: readonly [string, () => unknown][] = [
    ["empty lists", () => []],
    ["empty objects", () => ({})],
    ["what can't be read", revoked],
    ["nothing", () => undefined],
  ];
  test.each(cheap)("of %s alone is cut at its bytes all the same", (_, item) => {
    const fill = (value: unknown) => Array(LIMITS.maxLoggedItems).fill(value);
    const text = encoder.value(fill(fill(fill(item()))));
    expect(Buffer.byteLength(text)).toBeLessThan(LIMITS.maxLoggedValueBytes + 100);
  });

  test("that is a number is redacted when it is a secret, and not when a secret is part of it", () => {
    expect(logged([424242, 424242n, 1424242])).toEqual(["[redacted]", "[redacted]", 1424242]);
  });

  test.each(["path", "from", "to", "cwd", "Path"])(
    "under %j is not hidden by a name like a password's",
    (key) => {
      const long = `pwd=/${"d/".repeat(200)}`;
      expect(logged({ [key]: ["src/pwd=/evil.sh", "a/hunter2", "ftp://u:pw@host/x", long] })).toEqual({
        [key]: [
          "src/pwd=/evil.sh",
          "a/[redacted]",
          "ftp://u:[redacted]@host/x",
          { bytes: long.length, sha256: sha256(long), preview: long.slice(0, 80) },
        ],
      });
      expect(logged({ command: "src/pwd=/evil.sh" })).toEqual({ command: "src/pwd=[redacted]" });
    },
  );

  test("runs none of the value's code", () => {
    const ran: string[] = [];
    const value = {
      get boom() {
        ran.push("getter");
        throw new Error("no");
      },
      toJSON: () => ran.push("toJSON"),
      toString: () => ran.push("toString"),
    };
    expect(logged(value)).toEqual({ boom: "[getter]", toJSON: "[function]", toString: "[function]" });
    expect(ran).toEqual([]);
  });

  test("can be anything that JSON can't say", () => {
    const cycle: Record<string, unknown> = { name: "loop" };
    cycle.self = cycle;
    const odd = {
      undefined: undefined,
      symbol: Symbol("s"),
      nan: Number.NaN,
      big: 12n,
      huge: 2n ** 100n,
      revoked: revoked(),
    };
    expect(logged(odd)).toEqual({
      undefined: null,
      symbol: "[symbol]",
      nan: "NaN",
      big: "12",
      huge: "[bigint]",
      revoked: "[unreadable]",
    });
    expect(encoder.value(cycle)).toContain("[deeper]");
    expect(encoder.value(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
    expect(encoder.value("\ud800")).toBe('"\\ud800"');
  });
});

describe("text in the log", () => {
  const rows: readonly [string, string, string][] = [
    ["a newline", "a\nb", '"a\\nb"'],
    ["a terminal escape", "\u001b[2J", '"\\u001b[2J"'],
    ["C1 controls and delete", "\u009b\u007f", '"\\u009b\\u007f"'],
    ["line separators", "\u2028\u2029", '"\\u2028\\u2029"'],
    ["bidirectional overrides", "\u202e\u2066\u061c", '"\\u202e\\u2066\\u061c"'],
    ["zero-width characters", "\u200b\u200d\ufeff\u00ad", '"\\u200b\\u200d\\ufeff\\u00ad"'],
    ["tag characters", "\u{e0041}", '"\\udb40\\udc41"'],
    ["letters of any script", "äж漢😀", '"äж漢😀"'],
  ];
  test.each(rows)("holds %s so that showing it does nothing", (_, text, quoted) => {
    expect(inertJson(text)).toBe(quoted);
    expect(JSON.parse(quoted)).toBe(text);
  });

  test("that is a name stays one string, with its size and hash when it is long", () => {
    const name = "n".repeat(1000);
    expect(JSON.parse(encoder.name("fs.read"))).toBe("fs.read");
    expect(JSON.parse(encoder.name(name))).toBe(`${"n".repeat(80)}[1000 bytes, sha256 ${sha256(name)}]`);
  });
});
