import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../test/kit/assert-property.ts";
import { HotcellError } from "../core/errors.ts";
import type { CallRequest } from "../core/types.ts";
import { toolInstructions } from "../tools/instructions.ts";
import { parseCall } from "./parse.ts";

const parse = (request: unknown) => parseCall(request as CallRequest | string, () => "new-id");

function refusal(request: unknown): { code: string; message: string } {
  try {
    parse(request);
  } catch (error) {
    if (error instanceof HotcellError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("was accepted");
}

const FENCE_CALL = "Removed the code fence around the call.";
const FENCE_ARGUMENTS = "Removed the code fence around the arguments.";
const TWICE = "Decoded arguments that were encoded as JSON twice.";

describe("P5.1 arguments", () => {
  test.each<[string, unknown, object, string[]]>([
    ["an object", { path: "a" }, { path: "a" }, []],
    ["JSON text", '{"path":"a"}', { path: "a" }, []],
    ["JSON text with space around", ' \n{"path":"a"} ', { path: "a" }, []],
    ["a code fence", '```json\n{"path":"a"}\n```', { path: "a" }, [FENCE_ARGUMENTS]],
    ["a code fence without a language", '\n```\n{"path":"a"}\n```\n', { path: "a" }, [FENCE_ARGUMENTS]],
    ["a double-encoded string", JSON.stringify('{"path":"a"}'), { path: "a" }, [TWICE]],
    [
      "both",
      `\`\`\`json\n${JSON.stringify('{"path":"a"}')}\n\`\`\``,
      { path: "a" },
      [FENCE_ARGUMENTS, TWICE],
    ],
    ["nothing", undefined, {}, []],
    ["null", null, {}, []],
  ])("are accepted as %s", (_, given, expected, repairs) => {
    expect(parse({ id: "c1", name: "read_file", arguments: given })).toEqual({
      call: { id: "c1", name: "read_file", arguments: expected },
      repairs,
    });
  });

  test.each<[string, unknown, string]>([
    ["empty text", "", "Could not read the arguments: the text is empty. Send {} for none."],
    ["blank text", " \n", "Could not read the arguments: the text is empty. Send {} for none."],
    ["an array", "[]", "Could not read the arguments: expected a JSON object, got an array of 0."],
    ["the text null", "null", "Could not read the arguments: expected a JSON object, got null."],
    ["a plain string", '"a"', 'Could not read the arguments: expected a JSON object, got "a".'],
    [
      "an object encoded three times",
      JSON.stringify(JSON.stringify("{}")),
      'Could not read the arguments: expected a JSON object, got "\\"{}\\"".',
    ],
    ["text cut short", '{"path":"a', "Could not read the JSON: Unterminated string at line 1, column 11."],
    [
      "duplicate keys",
      '{"a":1,"a":2}',
      'Could not read the JSON: the key "a" comes twice, again at line 1, column 8. Send each key once.',
    ],
    [
      "duplicate keys, encoded twice",
      JSON.stringify('{"a":1,"a":2}'),
      'Could not read the JSON: the key "a" comes twice, again at line 1, column 8. Send each key once.',
    ],
    ["an array handed in", [1], "Could not take arguments: expected an object, got an array of 1."],
    ["a number handed in", 5, "Could not take arguments: expected an object, got 5."],
  ])("P5.5 are refused as %s, with the reason", (_, given, message) => {
    expect(refusal({ name: "read_file", arguments: given })).toEqual({ code: "INVALID_ARGUMENTS", message });
  });

  test("are frozen, so that the judged arguments are those that run", () => {
    for (const given of [{ a: { b: [1] } }, '{"a":{"b":[1]}}']) {
      const { call } = parse({ name: "x", arguments: given });
      const { a } = call.arguments as { a: { b: number[] } };
      expect([call, call.arguments, a, a.b].every(Object.isFrozen)).toBe(true);
    }
  });
});

describe("P5.3 a call written as text", () => {
  const none = {};
  const path = { path: "a" };
  test.each<[string, string, string, object, string[]]>([
    ["by name alone", '{"tool_call":{"name":"time.now"}}', "time.now", none, []],
    ["with arguments", '{"tool_call":{"name":"read_file","arguments":{"path":"a"}}}', "read_file", path, []],
    [
      "with arguments as text",
      '{"tool_call":{"name":"read_file","arguments":"{\\"path\\":\\"a\\"}"}}',
      "read_file",
      path,
      [],
    ],
    ["with null arguments", ' {"tool_call":{"name":"time.now","arguments":null}}\n', "time.now", none, []],
    ["in a code fence", '```json\n{"tool_call":{"name":"time.now"}}\n```', "time.now", none, [FENCE_CALL]],
    [
      "Hermes",
      '<tool_call>\n{"name":"read_file","arguments":{"path":"a"}}\n</tool_call>',
      "read_file",
      path,
      [],
    ],
    ["Hermes in one line", '<tool_call>{"name":"time.now"}</tool_call>', "time.now", none, []],
    ["Qwen", "<function=read_file><parameter=path>a</parameter></function>", "read_file", path, []],
    [
      "Qwen, in a tag, on lines",
      "<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>",
      "read_file",
      path,
      [],
    ],
    ["Qwen without parameters", "<function=time.now>\n</function>", "time.now", none, []],
    [
      "Qwen, lines kept",
      "<function=w><parameter=a>\n\n x < y\n\n</parameter><parameter=b></parameter></function>",
      "w",
      { a: "\n x < y\n", b: "" },
      [],
    ],
  ])("runs: %s", (_, text, name, args, repairs) => {
    expect(parse(text)).toEqual({ call: { id: "new-id", name, arguments: args }, repairs });
  });

  test("keeps the id that it brings", () => {
    expect(parse('{"tool_call":{"id":"c7","name":"time.now"}}').call.id).toBe("c7");
  });

  const alone =
    'Send one call alone, with nothing before or after it: {"tool_call":{"name":"…","arguments":{…}}}';
  test.each<[string, string, string]>([
    [
      "in prose",
      'I run {"tool_call":{"name":"bash"}} now',
      "Could not read a call from the text: the text is not a call.",
    ],
    [
      "before prose",
      '{"tool_call":{"name":"bash"}} and then',
      "Could not read the JSON: Unexpected non-whitespace character after JSON at line 1, column 31.",
    ],
    [
      "a tag in prose",
      'So: <tool_call>{"name":"bash"}</tool_call>',
      "Could not read a call from the text: the text is not a call.",
    ],
    [
      "a tag before prose",
      '<tool_call>{"name":"bash"}</tool_call> done',
      "Could not read a call from the text: the text is not a call.",
    ],
    [
      "a fence in prose",
      'Here:\n```\n{"tool_call":{"name":"bash"}}\n```',
      "Could not read a call from the text: the text is not a call.",
    ],
    [
      "two calls",
      '<tool_call>{"name":"a"}</tool_call><tool_call>{"name":"b"}</tool_call>',
      "Could not read the JSON: Unexpected non-whitespace character after JSON at line 1, column 13.",
    ],
    [
      "two tool_calls",
      '{"tool_call":{"name":"a"},"tool_call":{"name":"b"}}',
      'Could not read the JSON: the key "tool_call" comes twice, again at line 1, column 27. Send each key once.',
    ],
    [
      "the plural",
      '{"tool_calls":[{"name":"a"}]}',
      'Could not read a call from the text: there is no "tool_call".',
    ],
    [
      "more than a call",
      '{"tool_call":{"name":"a"},"note":1}',
      'Could not read a call from the text: "note" is no part of a call.',
    ],
    [
      "an unknown part",
      '{"tool_call":{"name":"a","args":{}}}',
      'Could not read a call from the text: "args" is no part of a call.',
    ],
    [
      "a name as call",
      '{"tool_call":"a"}',
      'Could not read a call from the text: expected an object with a name, got "a".',
    ],
    ["plain JSON", '{"path":"a"}', 'Could not read a call from the text: there is no "tool_call".'],
    ["nothing", "", "Could not read a call from the text: the text is not a call."],
    [
      "an unclosed function",
      "<function=a><parameter=b>c</parameter>",
      "Could not read a call from the text: expected <function=name> … </function>.",
    ],
    [
      "an unclosed parameter",
      "<function=a><parameter=b>c</function>",
      "Could not read a call from the text: expected <parameter=name>value</parameter>.",
    ],
    [
      "text between parameters",
      "<function=a>x<parameter=b>c</parameter></function>",
      "Could not read a call from the text: expected <parameter=name>value</parameter>.",
    ],
    [
      "a parameter twice",
      "<function=a><parameter=b>1</parameter><parameter=b>2</parameter></function>",
      'Could not read a call from the text: the parameter "b" comes twice.',
    ],
    [
      "a tag in a value",
      "<function=a><parameter=b>1<parameter=c>2</parameter></function>",
      'Could not read a call from the text: the parameter "b" holds a tag of the call itself; this form can\'t carry it.',
    ],
  ])("never runs: %s", (_, text, reason) => {
    expect(refusal(text)).toEqual({ code: "INVALID_ARGUMENTS", message: `${reason} ${alone}` });
  });

  test("never runs: a parameter that reaches a prototype", () => {
    const text = "<function=a><parameter=__proto__>1</parameter></function>";
    expect(refusal(text).message).toBe("Could not take arguments.__proto__: this key is not allowed.");
  });

  test("never runs: more than a call may have", () => {
    const text = `<function=a><parameter=b>${"x".repeat(17_000_000)}</parameter></function>`;
    expect(refusal(text).message).toContain("it is larger than 16777216 bytes");
  });
});

test("P5.4 the calls that the instructions show are calls that parse understands", () => {
  const examples = toolInstructions([])
    .split("\n")
    .filter((line) => line.startsWith('{"tool_call"'));
  expect(examples.map((example) => parse(example).call)).toEqual([
    { id: "new-id", name: "TOOL", arguments: { ARGUMENT: "VALUE" } },
    { id: "new-id", name: "TOOL", arguments: {} },
  ]);
});

test("a call that was cut off is never run, however whole it looks", () => {
  const request = { name: "read_file", arguments: { path: "a" }, truncated: true };
  expect(() => parse(request)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENTS", details: { why: "truncated" } }),
  );
});

describe("the call's id", () => {
  test.each(["call-1", "toolu_01", "__proto__", "x".repeat(256), "é ü"])("%s is kept", (id) => {
    expect(parse({ id, name: "x" })).toEqual({ call: { id, name: "x", arguments: {} }, repairs: [] });
  });

  test.each([undefined, null])("is made when it is %s, and that is no repair", (id) => {
    expect(parse({ id, name: "x" })).toEqual({
      call: { id: "new-id", name: "x", arguments: {} },
      repairs: [],
    });
  });

  test.each<[unknown, string]>([
    ["", '""'],
    ["a\nb", '"a\\nb"'],
    ["\u001b[31m", '"\\u001b[31m"'],
    ["\u202e", '"\\u{202e}"'],
    ["\ud800", '"\\ud800"'],
    ["é".repeat(129), `"${"é".repeat(60)}"…`],
    [7, "7"],
    [{}, "an object"],
  ])("is replaced when it can't be logged and shown, and that is named: %j", (id, shown) => {
    expect(parse({ id, name: "x" })).toEqual({
      call: { id: "new-id", name: "x", arguments: {} },
      repairs: [`Replaced the call's id ${shown} by "new-id".`],
    });
  });
});

describe("the tool's name", () => {
  test.each<[unknown, string]>([
    [undefined, "Could not look up the tool: expected a name, got undefined."],
    [["time.now"], "Could not look up the tool: expected a name, got an array of 1."],
    [
      "x".repeat(100_000),
      `Could not look up the tool: its name "${"x".repeat(60)}"… is longer than 128 bytes.`,
    ],
  ])("is UNKNOWN_TOOL when it can't be one, and is not echoed whole: %.20j", (name, message) => {
    expect(refusal({ name })).toEqual({ code: "UNKNOWN_TOOL", message });
  });

  test("is kept as it is: nothing is trimmed or folded", () => {
    expect(parse({ name: " READ_FILE\n" }).call.name).toBe(" READ_FILE\n");
  });
});

describe("parse never throws anything but typed errors", () => {
  const throwsOnlyTyped = (request: unknown) => {
    try {
      parse(request);
    } catch (error) {
      expect(error).toBeInstanceOf(HotcellError);
    }
  };
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
  });
  const fragment = fc.constantFrom(
    '{"tool_call":',
    '{"name":"a"',
    "}",
    "<tool_call>",
    "</tool_call>",
    "<function=a>",
    "</function>",
    "<parameter=b>",
    "</parameter>",
    "```json\n",
    "\n```",
    '"',
    "x",
  );

  test("for any text", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fragment).map((parts) => parts.join("")),
    );
    assertProperty(fc.property(texts, throwsOnlyTyped), { numRuns: 2000 });
  });

  test("for any value, and for any values in a request", () => {
    const request = fc.record({ id: anything, name: anything, arguments: anything }, { requiredKeys: [] });
    assertProperty(fc.property(fc.oneof(anything, request), throwsOnlyTyped), { numRuns: 2000 });
  });

  test.each<[string, () => unknown]>([
    [
      "a getter that throws",
      () => ({
        get name() {
          throw new Error("mine");
        },
      }),
    ],
    [
      "a revoked proxy",
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
    [
      "revoked arguments",
      () => {
        const { proxy, revoke } = Proxy.revocable([], {});
        revoke();
        return { name: "x", arguments: proxy, id: proxy };
      },
    ],
  ])("for %s", (_, make) => {
    expect(refusal(make()).code).toBe("INVALID_ARGUMENTS");
  });

  test.each([null, undefined])("for %s in place of a request", (request) => {
    expect(refusal(request)).toEqual({
      code: "INVALID_ARGUMENTS",
      message: "Could not read the call: expected { name, arguments }.",
    });
  });
});
