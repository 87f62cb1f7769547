import { describe, expect, test } from "vitest";
import { quote } from "../core/quote.ts";
import { createRedactor, namesCredential } from "./redact.ts";

describe("a redactor", () => {
  const { redact } = createRedactor();
  const key = "A1b2C3d4E5f6G7h8I9j0";
  const shapes: readonly [string, string][] = [
    [`-----BEGIN RSA PRIVATE KEY-----\nMIIE${key}\n-----END RSA PRIVATE KEY-----\nrest`, "[redacted]\nrest"],
    [`before -----BEGIN PRIVATE KEY-----\nMIIE${key} and never an end`, "before [redacted]"],
    [`use sk-proj-${key} now`, "use [redacted] now"],
    [`ghp_${key}${key}`, "[redacted]"],
    [`github_pat_${key}_${key}`, "[redacted]"],
    ["AKIAIOSFODNN7EXAMPLE", "[redacted]"],
    [`xoxb-123456789012-${key}`, "[redacted]"],
    [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${key}`, "[redacted]"],
    [`Authorization: Bearer ${key}`, "Authorization: Bearer [redacted]"],
    [`curl -H 'authorization: basic ${key}='`, "curl -H 'authorization: basic [redacted]'"],
    [`https://api.example/v1?q=1&key=${key}&page=2`, "https://api.example/v1?q=1&key=[redacted]&page=2"],
    ["https://ann:hunter2@example.org/x", "https://ann:[redacted]@example.org/x"],
    ["postgres://db?password=hunter2", "postgres://db?password=[redacted]"],
    ["OPENAI_API_KEY=hunter2 npm test", "OPENAI_API_KEY=[redacted] npm test"],
    ['{"client_secret": "hunter2"}', '{"client_secret": "[redacted]"}'],
    ["password: hunter2", "password: [redacted]"],
  ];
  test.each(shapes)("takes the secret out of %j", (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  test.each(shapes)("cuts no preview within the secret of %j", (text) => {
    for (let before = 0; before <= 80; before++) {
      const padded = " ".repeat(before) + text;
      expect(createRedactor().preview(padded, 80)).toBe(redact(padded).slice(0, 80));
    }
  });

  const harmless = [
    "src/token.ts",
    "the basic idea",
    "ask-me-anything-about-it",
    "12:30:00",
    "a=b&c=d",
    "https://example.org/a:b",
  ];
  test.each(harmless)("leaves %j as it is", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("takes out configured values wherever they stand, longer ones first, and is not upset by an empty one", () => {
    const configured = createRedactor(["", "abc", "abcdef", "$&"]);
    expect(configured.redact("xabcdefx-abc-$&")).toBe("x[redacted]x-[redacted]-[redacted]");
  });

  test("takes out configured values as JSON and messages write them", () => {
    const secret = 'pa"ss\\wo\u202erd\n77';
    const configured = createRedactor([secret]);
    const texts = [secret, JSON.stringify(secret), JSON.stringify({ a: [secret] }), quote(secret)];
    expect(texts.map(configured.redact)).toEqual([
      "[redacted]",
      '"[redacted]"',
      '{"a":["[redacted]"]}',
      '"[redacted]"',
    ]);
  });

  test("takes out each line of a configured value, but short ones", () => {
    const configured = createRedactor(['alpha-"91c2d7\r\n  bravo-55aa01\nend\n']);
    expect(configured.redact('1: alpha-"91c2d7\n2:   bravo-55aa01\n3: end')).toBe(
      "1: [redacted]\n2:   [redacted]\n3: end",
    );
    expect(configured.redact('"alpha-\\"91c2d7"')).toBe('"[redacted]"');
  });

  const long = `hunter2-"${"0123456789abcdef".repeat(5)}`;
  const cuts: readonly [string, string][] = [
    [quote(long), '"[redacted]"…'],
    [quote(`${"a".repeat(40)}${long}`), `"${"a".repeat(40)}[redacted]"…`],
    [`got ${quote(long)} and ${quote(`x${long}`)}.`, 'got "[redacted]"… and "x[redacted]"….'],
    [
      `Unexpected token 'h', "{"path": hunter2-"... is not valid JSON`,
      `Unexpected token 'h', "{"path": [redacted]"... is not valid JSON`,
    ],
    [quote(`${"a".repeat(53)}${long}`), `"${"a".repeat(53)}hunter2"…`],
    ["hunter2- stands for itself…", "hunter2- stands for itself…"],
  ];
  test.each(cuts)(
    "takes out what a message has left of a configured value that it cut: %j",
    (text, redacted) => {
      expect(createRedactor([long]).redact(text)).toBe(redacted);
    },
  );

  test("redacts before it cuts a preview, so that no part of a long secret is left", () => {
    const secret = "s".repeat(10_000);
    expect(createRedactor([secret]).preview(`ab${secret}`, 20)).toBe("ab[redacted]");
    const other = `${"t".repeat(9000)}.`;
    expect(createRedactor([other]).preview(`ab${other}${other}`, 80)).toBe("ab[redacted][redacted]");
    expect(redact(`sk-${"a".repeat(5000)}`)).toBe("[redacted]");
    expect(createRedactor().preview(`ab sk-${"a".repeat(9000)}`, 80)).toBe("ab [redacted]");
  });

  test("is done at once with text that is made to be slow", () => {
    const slow = ["-----BEGIN ", "eyJaaaaa-", "://", "?key", "api_key ", "bearer  "].map((part) =>
      part.repeat(400),
    );
    expect(slow.map(redact)).toEqual(slow);
  });
});

describe("a key", () => {
  const names = [
    "api_key",
    "apikey",
    "X-Api-Key",
    "OPENAI_API_KEY",
    "token",
    "githubToken",
    "client_secret",
    "Password",
    "AUTHORIZATION",
    "proxy-authorization",
    "private key",
    "aws_credentials",
    "Set-Cookie",
  ];
  test.each(names)("%j names a credential", (key) => {
    expect(namesCredential(key)).toBe(true);
  });

  test.each(["max_tokens", "path", "secretary", "keyboard", "passwordless", ""])("%j names none", (key) => {
    expect(namesCredential(key)).toBe(false);
  });
});
