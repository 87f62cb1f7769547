import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { createMessageFilter } from "./message-filter.ts";

/** What passes, what the client is answered, and how many lines are reported. */
async function filter(...chunks: readonly (string | Buffer)[]) {
  const answers: unknown[] = [];
  const reports: string[] = [];
  const messages = createMessageFilter({
    maxBytes: 100,
    send: (line) => void answers.push(JSON.parse(line)),
    onError: ({ message }) => void reports.push(message),
  });
  const passed: string[] = [];
  for await (const line of Readable.from(chunks.map((chunk) => Buffer.from(chunk))).pipe(messages))
    passed.push(String(line));
  return { passed, answers, reports };
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

test("messages pass as they are, however they arrive", async () => {
  const lines = [
    PING,
    '{"jsonrpc":"2.0","method":"x","params":{"text":"é"}}\r\n',
    '{"jsonrpc":"2.0","id":"a","result":{}}\n',
    '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"x"}}\n',
    "\n",
  ];
  const expected = { passed: lines, answers: [], reports: [] };
  expect(await filter(lines.join(""))).toEqual(expected);
  expect(await filter(...[...Buffer.from(lines.join(""))].map((byte) => Buffer.of(byte)))).toEqual(expected);
});

test.each<[string, string, number, string | number | null]>([
  ["garbage", "garbage", -32700, null],
  ["a batch", `[${PING.trim()}]`, -32600, null],
  ["an empty batch", "[]", -32600, null],
  ["a number", "42", -32600, null],
  ["null", "null", -32600, null],
  ["another version", '{"jsonrpc":"1.0","id":4,"method":"ping"}', -32600, 4],
  ["a method that is no text", '{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4],
  ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
  ["params that are null", '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":null}', -32602, 5],
  ["params that are a list", '{"jsonrpc":"2.0","id":"b","method":"tools/call","params":[]}', -32602, "b"],
  ["a _meta that is text", '{"jsonrpc":"2.0","id":6,"method":"x","params":{"_meta":"x"}}', -32602, 6],
])(
  "%s is reported and answered with an error, and the next message passes",
  async (_what, line, code, id) => {
    const { passed, answers, reports } = await filter(line.slice(0, 50), `${line.slice(50)}\n${PING}`);
    expect(passed).toEqual([PING]);
    expect(answers).toMatchObject([{ jsonrpc: "2.0", id, error: { code } }]);
    expect(reports).toEqual([expect.stringContaining("Could not take the message: it")]);
  },
);

test.each([
  ["a notification", '{"jsonrpc":"2.0","method":"x","params":[]}'],
  ["a response", '{"jsonrpc":"2.0","id":7,"result":5}'],
])("%s that is wrong is reported only: nobody waits for an answer", async (_what, line) => {
  expect(await filter(`${line}\n`)).toMatchObject({ passed: [], answers: [], reports: [expect.anything()] });
});

test("a line that is too long is refused before its end, and nothing after it is taken", async () => {
  const { passed, answers, reports } = await filter(PING, "x".repeat(60), "x".repeat(60), `x\n${PING}`, PING);
  expect(passed).toEqual([PING]);
  expect(answers).toMatchObject([{ id: null, error: { code: -32600 } }]);
  expect(reports).toEqual([
    "Could not take the message: it is longer than 100 bytes, so the connection ends.",
  ]);
});
