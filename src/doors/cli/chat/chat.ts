// hotcell chat: the agent in a terminal. With a prompt it answers once; without one it asks for more.
import type { AgentEvent, RunStop } from "../../../agent/agent-event.ts";
import { type AgentOptions, runAgent } from "../../../agent/run-agent.ts";
import { readRunEvents } from "../../../agent/run-log.ts";
import type { Approve } from "../../../approval/approve.ts";
import { createDesk } from "../../../approval/desk.ts";
import type { Cell } from "../../../cell.ts";
import { askInTerminal } from "../approve.ts";
import { configuredCell } from "../cell-options.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printJson, printNotes, usage } from "../io.ts";
import type { CellFlags } from "../main.ts";
import { wantsColour } from "../session/paint-diff.ts";
import { commitToProject } from "../session/session-commit.ts";
import { printDiff } from "../session/session-diff.ts";
import { withCell } from "../with-cell.ts";
import { type FoundRun, findRun } from "./find-run.ts";
import { type ModelFlags, openChatModel } from "./open-chat-model.ts";
import { createRenderer } from "./render-event.ts";
import { runSlashCommand } from "./slash-command.ts";

export interface ChatFlags extends CellFlags, ModelFlags {
  readonly resume?: string;
}

/** The resources of a chat. */
interface Chat {
  readonly io: Io;
  readonly cell: Cell;
  readonly json: boolean;
  readonly show: (event: AgentEvent) => void;
  readonly agent: Omit<AgentOptions, "cell" | "messages" | "run" | "signal">;
}

export async function chat(io: Io, prompt: string | undefined, flags: ChatFlags): Promise<ExitCode> {
  const resumed = flags.resume === undefined ? null : await findRun(io, flags.resume, flags);
  const json = flags.json === true;
  if (prompt === undefined && resumed === null && (json || !io.interactive))
    throw usage(
      "Give a prompt: hotcell chat 'Fix the failing test'. Without one, hotcell chat needs a terminal.",
    );
  const { options, config } = await configuredCell(io, {
    ...flags,
    ...(resumed?.session && { session: resumed.session }),
  });
  const { model, options: agentOptions } = openChatModel(io, config, flags);
  if (model.provider === "scripted") printNotes(io, sayNoModel(model.model));
  const client = io.interactive && !json ? { client: inTurn(askInTerminal(io)) } : {};
  const onAsk = createDesk({ stateDir: config.stateDir, ...client });
  let session: string | null = null;
  let hasChanges = false;
  try {
    const stop = await withCell(io, { ...options, model, onAsk }, async (cell) => {
      session = cell.session;
      const stop = await converse(
        { io, cell, json, show: createShow(io, json, resumed), agent: { model, ...agentOptions } },
        prompt,
        resumed?.run,
      );
      hasChanges = cell.session !== null && (await cell.diff()).changes.length > 0;
      return stop;
    });
    if (session !== null && hasChanges && !json) await review(io, session, flags);
    return stop === "done" ? 0 : 1;
  } finally {
    await model.close();
  }
}

/** Answers of a script look like those of a model. */
function sayNoModel(script: string): string {
  const source =
    script === "commands" ? "it follows simple typed commands" : `the answers come from the script ${script}`;
  return `This is no model: ${source}.`;
}

function createShow(io: Io, json: boolean, resumed: FoundRun | null): Chat["show"] {
  if (json) return (event) => printJson(io, event, true);
  const earlier = resumed === null ? [] : readRunEvents(resumed.file);
  const { render } = createRenderer(wantsColour(io, io.outIsTerminal), earlier);
  return (event) => io.out(render(event));
}

/** Runs the prompt, and in a terminal the next ones. Returns how the last run ended. */
async function converse(
  chat: Chat,
  prompt: string | undefined,
  resumed: string | undefined,
): Promise<RunStop> {
  const { io, json } = chat;
  const isDialogue = io.interactive && !json;
  let run = resumed;
  let stop: RunStop = "done";
  let typed = prompt ?? (resumed === undefined ? await nextPrompt(chat) : "");
  while (typed !== null) {
    const last = await takeRun(chat, run, typed);
    run = last.run;
    stop = last.stop;
    if (!isDialogue || (prompt !== undefined && stop === "done")) break;
    typed = await nextPrompt(chat);
  }
  return stop;
}

/** The next line for the model; null at the end. Lines for hotcell itself are done here. */
async function nextPrompt({ io, cell }: Chat): Promise<string | null> {
  for (;;) {
    const line = await interruptible("read a prompt", (signal) => io.askLine("> ", signal)).catch(() => null);
    if (line === null || line.trim() === "/quit") return null;
    if (line.trim() === "" || (await runSlashCommand(io, cell, line))) continue;
    return line;
  }
}

/** One run, shown as it goes. The first Ctrl-C cancels it, the second ends hotcell. */
async function takeRun(
  { cell, show, agent }: Chat,
  run: string | undefined,
  prompt: string,
): Promise<{ readonly run: string | undefined; readonly stop: RunStop }> {
  const messages = prompt === "" ? [] : [{ role: "user", content: prompt } as const];
  return interruptible("go on", async (signal) => {
    let id = run;
    let stop: RunStop = "error";
    for await (const event of runAgent({
      ...agent,
      cell,
      messages,
      signal,
      ...(run !== undefined && { run }),
    })) {
      show(event);
      if (event.kind === "run.start") id = event.run;
      if (event.kind === "run.end") stop = event.stop;
    }
    return { run: id, stop };
  });
}

/** Names the session at the end; in a terminal, shows its changes and asks what to do with them. */
async function review(io: Io, session: string, flags: ChatFlags): Promise<void> {
  printNotes(io, `Session ${session}. Review it: hotcell session diff ${session}`);
  if (!io.interactive) return;
  const { stateDir, config } = flags;
  const place = { ...(stateDir !== undefined && { stateDir }), ...(config !== undefined && { config }) };
  await printDiff(io, session, [], place);
  const answer = await io.ask("Commit the changes to the project? [y]es, by [p]atch, [N]o ");
  if (/^y(es)?$/i.test(answer.trim())) await commitToProject(io, session, [], { ...place, yes: true });
  if (/^p(atch)?$/i.test(answer.trim())) await commitToProject(io, session, [], { ...place, patch: true });
}

/** Asks one question after the other: calls of one turn are asked about at once. */
function inTurn(approve: Approve): Approve {
  let last: Promise<unknown> = Promise.resolve();
  return (request, signal) => {
    const answer = last.then(() => approve(request, signal));
    last = answer.catch(() => {});
    return answer;
  };
}
