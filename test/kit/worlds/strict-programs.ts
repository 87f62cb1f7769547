// Programs of a user with the strictest options of TypeScript, without a cast and without `any`.

/** The data of a screen on which a person reviews a session and commits it by hunk. */
export const REVIEW = `
import fs from "node:fs";
import { type Change, type CommitPlan, type Conflict, type Hunk, openCell } from "hotcell";

interface Line {
  readonly kind: "added" | "removed" | "context" | "note";
  readonly text: string;
}
interface HunkView {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly Line[];
}
interface FileView {
  readonly path: string;
  readonly renamedFrom?: string;
  readonly label: string;
  readonly size: number | null;
  readonly hunks: readonly HunkView[];
  readonly conflict: string | null;
}

const KINDS: Readonly<Record<string, Line["kind"]>> = { "+": "added", "-": "removed", "\\\\": "note" };

function lineOf(line: string): Line {
  return { kind: KINDS[line.charAt(0)] ?? "context", text: line.slice(1) };
}

function hunkOf({ id, oldStart, newStart, lines }: Hunk): HunkView {
  return { id, title: \`line \${oldStart} → \${newStart}\`, lines: lines.map(lineOf) };
}

function labelOf({ kind, added, removed, binary, protection }: Change): string {
  const count = binary ? "binary" : \`+\${added} -\${removed}\`;
  return [kind, count, ...(protection === null ? [] : [protection])].join(", ");
}

function conflictOf({ reason, resolution, project, session }: Conflict): string {
  const sides = [project, session].map((version) => version?.kind ?? "absent").join(" / ");
  return \`\${reason}: \${sides}, \${resolution}\`;
}

function fileOf(change: Change, { conflicts }: CommitPlan): FileView {
  const conflict = conflicts.find(({ path }) => path === change.path);
  return {
    path: change.path,
    ...(change.from !== undefined && { renamedFrom: change.from }),
    label: labelOf(change),
    size: change.after?.size ?? null,
    hunks: change.hunks.map(hunkOf),
    conflict: conflict === undefined ? null : conflictOf(conflict),
  };
}

await using cell = await openCell({ workspace: "." });
const lines = Array.from({ length: 30 }, (_, index) => \`line \${index + 1}\`);
fs.writeFileSync("long.txt", lines.join("\\n"));
const edited = lines.with(0, "first").with(29, "last").join("\\n");
const written = await cell.call({ name: "write_file", arguments: { path: "long.txt", content: edited } });
await cell.call({ name: "write_file", arguments: { path: "a.txt", content: "session\\n" } });
fs.writeFileSync("a.txt", "user\\n");

const diff = await cell.diff();
const plan = await cell.plan({ onConflict: "skip" });
const files = diff.changes.map((change) => fileOf(change, plan));
const [hunk] = files.find(({ path }) => path === "long.txt")?.hunks ?? [];
if (hunk === undefined) throw new Error("there is no hunk to commit");
const selection = { hunks: [hunk.id] };
const { hash, steps, skipped, protectedPaths, obstacles } = await cell.plan(selection);
const progress: number[] = [];
const commit = await cell.commit({ ...selection, planHash: hash, onProgress: (done, total) => progress.push(done / total) });
const committed = fs.readFileSync("long.txt", "utf8").split("\\n").filter((line) => !line.startsWith("line"));
const reverted = commit.tx === null ? null : await cell.revert(commit.tx);
console.log(
  JSON.stringify({
    created: written.output?.created,
    changes: written.meta.changes,
    files: files.map(({ path, label, hunks, conflict }) => [path, label, hunks.length, conflict]),
    titles: files.flatMap(({ hunks }) => hunks.map(({ title }) => title)),
    first: hunk.lines[0],
    steps: steps.map(({ op, path }) => [op, path]),
    blocked: [skipped.length, protectedPaths.length, obstacles.length],
    last: progress.at(-1),
    committed,
    paths: commit.committed,
    reverted: reverted?.reverted,
  }),
);
`;

/** The loop of an agent: tools for a model, its calls, and calls of the program itself. */
export const AGENT = `
import { type Cell, type FunctionDefinition, type Observation, openCell } from "hotcell";

/** As the clients of OpenAI's interface declare them. */
interface ModelTool {
  type: "function";
  function: { name: string; description?: string; parameters?: { [key: string]: unknown }; strict?: boolean | null };
}
interface ModelCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}
type Message =
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly tool_calls: readonly ModelCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** Simulates a model. */
function ask(tools: ModelTool[], messages: readonly Message[]): ModelCall[] {
  const answers = messages.filter(({ role }) => role === "tool").length;
  const next = tools.find(({ function: { name } }) => name === ["read_file", "write_file"][answers]);
  if (next === undefined) return [];
  const args = { path: "a.txt", ...(answers === 1 && { content: "agent\\n" }) };
  return [
    { id: \`c\${answers}\`, type: "function", function: { name: next.function.name, arguments: JSON.stringify(args) } },
  ];
}

async function loop(cell: Cell): Promise<string[]> {
  const tools: FunctionDefinition[] = cell.tools("openai");
  const messages: Message[] = [{ role: "user", content: "Change a.txt" }];
  const log: string[] = [];
  for (;;) {
    const calls = ask(tools, messages);
    if (calls.length === 0) return log;
    messages.push({ role: "assistant", tool_calls: calls });
    const requests = calls.map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text }));
    const observations: Observation[] = await cell.callBatch(requests);
    for (const { meta, ...shown } of observations) {
      messages.push({ role: "tool", tool_call_id: meta.callId, content: JSON.stringify(shown) });
      log.push(\`\${shown.tool}: \${shown.error?.code ?? "ok"}, \${meta.changes?.paths.join() ?? "reads"}\`);
    }
  }
}

await using cell = await openCell({ workspace: ".", toolsets: ["sidecar", "processes", "studio", "web"] });
const log = await loop(cell);

const read = await cell.call({ name: "read_file", arguments: { path: "a.txt", start_line: 1 } });
const text: string = read.success ? (read.output.content ?? read.output.mime) : read.error.message;

const run = await cell.call({ name: "run_command", arguments: { command: "cat a.txt; exit 3", timeout_ms: 30_000 } });
const exit: number | null | undefined = run.output?.exit_code;
const memory: "enforced" | "polled" | "none" | undefined = run.meta.limits?.memory;

const server = await cell.call({ name: "run_command", arguments: { command: "sleep 60", background: true } });
const { output: list } = await cell.call({ name: "process_list" });
const ended = server.success
  ? await cell.call({ name: "process_stop", arguments: { process_id: server.output.process_id } })
  : null;

const { output: listing } = await cell.call({ name: "list_directory", arguments: { pattern: "*.txt" } });
const { output: found } = await cell.call({ name: "search_files", arguments: { pattern: "agent" } });
const { output: time } = await cell.call({ name: "time.now" });
const missing = await cell.call({ name: "read_file", arguments: { path: "missing" } });
const own: Observation = await cell.call({ name: "my_tool", arguments: { any: ["thing"] } });
const bash = await cell.call({ name: "bash", arguments: { command: "exit 4", timeout: 30 } });
const bashExit: number | null | undefined = bash.metadata.exitCode;
const fileWrite = await cell.call({ name: "file_write", arguments: { path: "b.txt", content: "studio" } });
const isCreated: boolean | undefined = fileWrite.isError ? undefined : fileWrite.metadata.created;
const fileRead = await cell.call({ name: "file_read", arguments: { path: "b.txt" } });
const bytes: number | undefined = fileRead.metadata.bytes;
const gone = await cell.call({ name: "file_read", arguments: { path: "gone" } });
const search = await cell.call({ name: "web_search", arguments: { query: " ", max_results: 3 } });
const provider: string | undefined = search.metadata.provider;
const byPerson = await cell.exec(["cat", "a.txt"]);
const schema: "object" | undefined = cell.tools("anthropic")[0]?.input_schema.type;
const readOnly: boolean | undefined = cell.tools("mcp")[0]?.annotations.readOnlyHint;
console.log(
  JSON.stringify({
    log,
    text,
    exit,
    stdout: run.output?.stdout,
    isKnown: memory === "enforced" || memory === "polled",
    states: list?.processes.map(({ state }) => state),
    ended: ended?.output?.state,
    listed: listing?.entries.map(({ name, type }) => [name, type]),
    found: found?.matches.map(({ path, line }) => [path, line]),
    hasTime: time !== null && new Date(time.iso).getTime() === time.unix_ms,
    missing: missing.success ? null : missing.error.code,
    own: own.error?.code,
    byPerson: byPerson.output?.stdout,
    studio: [bashExit, isCreated, bytes, fileRead.output, gone.isError ? gone.metadata.code : null],
    web: [search.isError ? search.metadata.code : null, provider ?? null],
    wires: [schema, readOnly],
  }),
);
`;

/** Each line after a comment must be a compiler error; otherwise the comment is one. */
export const WRONG = `
import { openCell } from "hotcell";
const cell = await openCell({ workspace: "." });
// @ts-expect-error
await cell.call({ name: "read_file", arguments: { path: 1 } });
// @ts-expect-error
await cell.call({ name: "read_file", arguments: { path: "a", strat_line: 1 } });
// @ts-expect-error
await cell.call({ name: "read_file", arguments: {} });
// @ts-expect-error
await cell.call({ name: "write_file" });
// @ts-expect-error
await cell.call({ name: "run_command", arguments: { comand: "ls", background: true } });
// @ts-expect-error
await cell.call({ name: "fs.apply_patch", arguments: { path: "@project/a", patch: { operation: "replace", oldText: "a" } } });
// @ts-expect-error
await cell.call({ name: "bash", arguments: { command: "ls", timeout_ms: 1 } });
// @ts-expect-error
await cell.call({ name: "web_search", arguments: { query: "x", max_results: "3" } });
// @ts-expect-error
console.log((await cell.call({ name: "file_read", arguments: { path: "a" } })).success);
const { output, meta } = await cell.call({ name: "read_file", arguments: { path: "a" } });
// @ts-expect-error
console.log(output?.contents);
// @ts-expect-error
console.log(meta.changes?.files);
// @ts-expect-error
console.log(meta.limits?.network);
// @ts-expect-error
console.log(cell.tools("mcp")[0]?.function);
// @ts-expect-error
await openCell({ workspace: ".", timeout: 1 });
// @ts-expect-error
await openCell({ workspace: ".", fs: "sqlite" });
`;

/** A loop for several providers: calls as received, messages to send back, tools of zod, typed outputs. */
export const MESSAGES = `
import {
  type AnthropicToolUse,
  defineTool,
  type OllamaToolCall,
  type OpenAIFunctionCall,
  type OpenAIToolCall,
  openCell,
  toToolMessage,
} from "hotcell";
import { z } from "zod";

/** The types of the clients' arguments. */
type OpenAIMessage = { role: "tool"; tool_call_id: string; content: string };
type AnthropicMessage = {
  role: "user";
  content: { type: "tool_result"; tool_use_id: string; content?: string | object[]; is_error?: boolean }[];
};

const add = defineTool({
  name: "add",
  description: "Add two numbers.",
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  danger: "safe",
  run: ({ a, b }) => ({ sum: a + b }),
});
const count = defineTool({
  name: "count",
  description: "Count the lines of a file.",
  input: { type: "object", properties: { path: { type: "string" }, from: { type: "integer" } }, required: ["path"] },
  danger: "safe",
  effect: "read",
  needs: ["workspace"],
  subject: "path",
  run({ path, from = 1 }, { workspace }) {
    return { lines: workspace.read(path).toString().trimEnd().split("\\n").slice(from - 1).length };
  },
});

await using cell = await openCell({ workspace: ".", tools: [add, count] });

const chat: OpenAIToolCall = { id: "c1", type: "function", function: { name: "add", arguments: '{"a":2}' } };
const response: OpenAIFunctionCall = { type: "function_call", call_id: "c2", name: "count", arguments: '{"path":"a.txt"}' };
const use: AnthropicToolUse = { type: "tool_use", id: "c3", name: "read_file", input: { path: "a.txt" } };
const local: OllamaToolCall = { function: { name: "read_file", arguments: { path: "none" } } };

const openai: OpenAIMessage = toToolMessage(await cell.call(chat), "openai");
const anthropic: AnthropicMessage = toToolMessage(await cell.call(use), "anthropic");
const ollama: { role: "tool"; content: string } = toToolMessage(await cell.call(local), "ollama");
const output: string | object[] = toToolMessage(await cell.call(response), "openai-responses").output;
const batch = await cell.callBatch([chat, use, { name: "add", arguments: { a: "x" } }]);

const edits = [{ old_text: "hi", new_text: "ho" }];
const edited = await cell.call({ name: "edit_file", arguments: { path: "a.txt", edits } });
const replacements: number | undefined = edited.output?.replacements;
const { output: found } = await cell.call({ name: "find_files", arguments: { pattern: "*.txt" } });
const paths: readonly string[] = found?.paths ?? [];
const { output: searched } = await cell.call({ name: "search_files", arguments: { pattern: "ho", show: "counts" } });
console.log(
  JSON.stringify({
    openai,
    anthropic,
    ollama: ollama.content.slice(0, 15),
    output,
    codes: batch.map(({ error }) => error?.code ?? null),
    replacements,
    paths,
    counts: searched?.counts,
    strict: cell.tools("openai-responses")[0]?.strict,
  }),
);
`;
