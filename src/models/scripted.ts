// A stand-in for a model, for demonstrations and tests: it plays a script, or follows simple typed commands. It says that
// it is no model.
import { readFileSync } from "node:fs";
import { HotcellError } from "../core/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { parseJson } from "../core/parse-json.ts";
import { quote } from "../core/quote.ts";
import { collectCalls } from "./collect-calls.ts";
import type { ModelMessage, ModelProvider, ModelRequest } from "./model.ts";
import { type AnswerPart, streamAnswer } from "./stream-answer.ts";
import { NO_USAGE } from "./wire-values.ts";

/** One answer of the script. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments?: JsonObject }[];
}

/** `file` is a script `{ "turns": [{ "text", "calls": [{ "name", "arguments" }] }] }`; null follows typed commands. */
export function createScripted(file: string | null): ModelProvider {
  const turns = file === null ? null : readScript(file);
  const model = file ?? "commands";
  return {
    provider: "scripted",
    model,
    sendMessage(request, signal) {
      const calls = collectCalls();
      const turn = turns === null ? followCommand(request) : nextTurn(turns, request);
      const parts = playTurn(turn, model, calls);
      return streamAnswer({ provider: "scripted", host: "The scripted model", calls, parts }, signal);
    },
    validateCredentials: async () => {},
    listModels: async () => [model],
    supportsTools: async () => true,
    close: async () => {},
  };
}

/** The number of answers that it gave, not a counter of its own: a run that is resumed goes on where it stopped. */
function nextTurn(turns: readonly ScriptedTurn[], { messages }: ModelRequest): ScriptedTurn {
  const given = messages.filter(({ role }) => role === "assistant").length;
  return turns[given] ?? { text: "The script has ended. (This is a script, no model.)" };
}

async function* playTurn(
  { text = "", calls: wanted = [] }: ScriptedTurn,
  model: string,
  calls: ReturnType<typeof collectCalls>,
): AsyncGenerator<AnswerPart> {
  yield { type: "start", model };
  for (const content of text.match(/\S*\s*/g)?.filter((word) => word !== "") ?? [])
    yield { type: "chunk", content };
  for (const [key, { name, arguments: args = {} }] of wanted.entries()) {
    yield* calls.addWhole(key, undefined, name, JSON.stringify(args));
  }
  yield { type: "end", stop: wanted.length > 0 ? "tool_calls" : "stop", usage: NO_USAGE };
}

const COMMANDS: ReadonlyMap<string, (rest: string) => ScriptedTurn> = new Map([
  ["read", (path: string) => callTurn("read_file", { path })],
  ["list", (path: string) => callTurn("list_directory", { path: path || "." })],
  ["search", (pattern: string) => callTurn("search_files", { pattern })],
  ["run", (command: string) => callTurn("run_command", { command })],
  [
    "write",
    (rest: string) => {
      const [path = "", ...content] = rest.split(" ");
      return callTurn("write_file", { path, content: `${content.join(" ")}\n` });
    },
  ],
]);

const HELP =
  "I am no model: I follow simple commands. Try: list, read PATH, search TEXT, write PATH TEXT, run COMMAND.";

const callTurn = (name: string, args: JsonObject): ScriptedTurn => ({ calls: [{ name, arguments: args }] });

function followCommand({ messages }: ModelRequest): ScriptedTurn {
  const last = messages.at(-1);
  if (last === undefined || last.role === "assistant") return { text: HELP };
  if (last.role === "tool") return { text: resultText(messages) };
  const [word = "", ...rest] = last.content.trim().split(/\s+/);
  const follow = COMMANDS.get(word.toLowerCase());
  return follow === undefined ? { text: HELP } : follow(rest.join(" "));
}

function resultText(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  const failed = last?.role === "tool" && last.isError;
  return failed ? "That failed; the result above says why." : "Done; the result is above.";
}

function readScript(file: string): readonly ScriptedTurn[] {
  let value: Json;
  try {
    value = parseJson(readFileSync(file, "utf8"));
  } catch (error) {
    throw unusable(file, error instanceof Error ? error.message : String(error));
  }
  const turns = isJsonObject(value) ? value.turns : undefined;
  if (!Array.isArray(turns)) throw unusable(file, 'it has no list "turns"');
  for (const [at, turn] of turns.entries()) checkTurn(file, turn, at);
  return turns as readonly ScriptedTurn[];
}

function checkTurn(file: string, turn: unknown, at: number): void {
  const where = `turns[${at}]`;
  if (!isJsonObject(turn)) throw unusable(file, `${where} is ${quote(turn)}, not an object`);
  const other = Object.keys(turn).find((key) => key !== "text" && key !== "calls");
  if (other !== undefined) throw unusable(file, `${where} has ${quote(other)}; expected "text" and "calls"`);
  if (turn.text !== undefined && typeof turn.text !== "string")
    throw unusable(file, `${where}.text is not text`);
  const calls = turn.calls ?? [];
  if (!Array.isArray(calls)) throw unusable(file, `${where}.calls is not a list`);
  for (const [n, call] of calls.entries()) {
    const isCall = isJsonObject(call) && typeof call.name === "string" && isJsonObject(call.arguments ?? {});
    if (!isCall) throw unusable(file, `${where}.calls[${n}] is not { "name", "arguments" }`);
  }
}

function unusable(file: string, reason: string): HotcellError {
  return new HotcellError(
    "CONFIG_INVALID",
    `Could not use the script ${quote(file)}: ${reason.replace(/\.$/, "")}. Give a script as --model scripted/FILE, or as model in the library.`,
  );
}
