// A server whose model makes the calls that the prompt "NAME TURNS" asks for: TURNS turns of two calls that each append
// one line to a file outside the session. The test kills it at some time.
import { appendFileSync } from "node:fs";
import { defineTool } from "../../../dist/index.js";
import { collectCalls } from "../../../dist/models/collect-calls.js";
import { streamAnswer } from "../../../dist/models/stream-answer.js";
import { openServer } from "../../../dist/server.js";

const [workspace, stateDir, marks] = process.argv.slice(2);
const mark = defineTool({
  name: "mark",
  description: "Leaves a line.",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  needs: ["workspace"],
  async run({ text }, { workspace: files }) {
    appendFileSync(marks, `${text}\n`);
    files.write(`marks/${text}`, `${text}\n`);
    return { text };
  },
});

const stay = defineTool({
  name: "stay",
  description: "Goes on whatever happens.",
  input: { type: "object" },
  run() {
    appendFileSync(marks, "stays\n");
    return new Promise(() => setInterval(() => {}, 1000));
  },
});

async function* play({ messages }, calls) {
  yield { type: "start", model: "marks" };
  const [name, turns] = messages.find(({ role }) => role === "user").content.split(" ");
  const turn = messages.filter(({ role }) => role === "assistant").length;
  for (const word of ["One ", "after ", "another."]) yield { type: "chunk", content: word };
  const isLast = turn >= Number(turns);
  if (!isLast)
    for (const at of [0, 1])
      yield* calls.addWhole(at, undefined, "mark", JSON.stringify({ text: `${name}-${2 * turn + at}` }));
  yield {
    type: "end",
    stop: isLast ? "stop" : "tool_calls",
    usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0 },
  };
}

const model = {
  provider: "scripted",
  model: "marks",
  sendMessage(request, signal) {
    const calls = collectCalls();
    return streamAnswer({ provider: "scripted", host: "marks", calls, parts: play(request, calls) }, signal);
  },
  validateCredentials: async () => {},
  listModels: async () => ["marks"],
  close: async () => {},
};

const server = await openServer({
  workspace,
  stateDir,
  port: 0,
  trust: "autonomous",
  tools: [mark, stay],
  agent: { model },
  onError: (error) => console.error(error),
});
process.once("SIGTERM", async () => {
  setTimeout(() => appendFileSync(marks, "10 seconds\n"), 10_000);
  await server.close();
  process.exit(0);
});
console.log(JSON.stringify({ url: server.url, tokenFile: server.tokenFile }));
