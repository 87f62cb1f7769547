// Shows the events of a run in a terminal: text as it arrives, one line for each call, a few lines of a command's output.
import type { AgentEvent, RunUsage } from "../../../agent/agent-event.ts";
import { makeVisible } from "../../../core/quote.ts";

export interface EventRenderer {
  /** The text to print for an event; empty for none. */
  render(event: AgentEvent): string;
}

const MAX_OUTPUT_LINES = 5;
const MAX_COLUMNS = 160;
/** Of an unfinished line: only its beginning is shown. */
const MAX_HELD_CHARS = 1000;
const DIM = "\u001b[2m";
const RED = "\u001b[31m";
const PLAIN = "\u001b[m";

/** `earlier`: the events of a run that is continued, whose calls may still be waiting. */
export function createRenderer(coloured: boolean, earlier: readonly AgentEvent[]): EventRenderer {
  const paint = (colour: string, text: string) => (coloured ? `${colour}${text}${PLAIN}` : text);
  /** The argument that matters, by call id. */
  const labels = new Map(earlier.flatMap(labelsIn));
  const printed = new Map<string, number>();
  /** The line of each call's output that has not ended: output comes in pieces. */
  const unfinished = new Map<string, string>();
  let atLineStart = true;

  const inline = (text: string): string => {
    atLineStart = text.endsWith("\n");
    return text;
  };
  const line = (text: string): string => {
    const broken = atLineStart ? text : `\n${text}`;
    atLineStart = true;
    return `${broken}\n`;
  };
  const output = (callId: string, text: string): string => {
    const pieces = text.split("\n");
    pieces[0] = (unfinished.get(callId) ?? "") + pieces[0]!;
    unfinished.set(callId, pieces.pop()!.slice(0, MAX_HELD_CHARS));
    const before = printed.get(callId) ?? 0;
    const lines = pieces.filter((one) => one.trim() !== "");
    printed.set(callId, before + lines.length);
    const shown = lines.slice(0, Math.max(0, MAX_OUTPUT_LINES - before));
    return shown.map((one) => line(paint(DIM, `  │ ${cut(makeVisible(one))}`))).join("");
  };
  const result = ({ callId, outcome, message }: Extract<AgentEvent, { kind: "call.result" }>): string => {
    const last = output(callId, "\n");
    const hidden = (printed.get(callId) ?? 0) - MAX_OUTPUT_LINES;
    const more =
      last + (hidden > 0 ? line(paint(DIM, `  │ … ${hidden} more ${hidden === 1 ? "line" : "lines"}`)) : "");
    const code = /\[exit code (\d+)\]\s*$/.exec(message.content)?.[1] ?? "0";
    const exit = code === "0" ? "" : line(paint(RED, `  ✗ exit code ${code}`));
    if (outcome === "executed_ok" && !message.isError) return more + exit;
    const label =
      outcome === "not_executed" ? "refused" : outcome === "interrupted" ? "interrupted" : "failed";
    return `${more}${line(paint(RED, `  ✗ ${label}: ${cut(makeVisible(reasonIn(message.content)))}`))}`;
  };

  return {
    render(event) {
      switch (event.kind) {
        case "text":
          return inline(visibleText(event.content));
        case "answer":
          for (const [callId, label] of labelsIn(event)) labels.set(callId, label);
          return atLineStart ? "" : inline("\n");
        case "call.started":
          return line(`● ${cut(makeVisible(labels.get(event.callId) ?? event.tool))}`);
        case "call.output":
          return output(event.callId, event.text);
        case "call.result": {
          const started =
            event.outcome === "not_executed"
              ? line(`● ${cut(makeVisible(labels.get(event.callId) ?? event.message.name))}`)
              : "";
          return started + result(event);
        }
        case "note":
          return line(paint(DIM, `note: ${makeVisible(event.text)}`));
        case "run.end":
          return line(paint(DIM, makeVisible(endLine(event))));
        default:
          return "";
      }
    },
  };
}

/** The calls of an answer by their ids. */
function labelsIn(event: AgentEvent): [callId: string, label: string][] {
  if (event.kind !== "answer") return [];
  return event.message.calls.map(({ name, arguments: args }, at) => [
    event.callIds[at]!,
    `${name} ${mainArgument(args)}`.trimEnd(),
  ]);
}

function endLine({ stop, usage, error }: Extract<AgentEvent, { kind: "run.end" }>): string {
  return [error === undefined ? STOPS[stop] : `${STOPS[stop]}: ${error.message}`, usageText(usage)].join(
    " · ",
  );
}

const STOPS = {
  done: "done",
  length: "stopped: the answer was cut at the token limit",
  refusal: "stopped: the model refused",
  iterations: "stopped: the run has made the most turns it may",
  budget: "stopped: the budget is spent",
  repeated: "stopped: the model made the same call again and again",
  cancelled: "cancelled",
  error: "failed",
} as const;

function usageText({ inputTokens, outputTokens, calls, costUsd }: RunUsage): string {
  const cost = costUsd === null ? "" : ` · $${costUsd.toFixed(4)}`;
  return `${inputTokens} tokens in, ${outputTokens} out${cost} · ${calls} ${calls === 1 ? "call" : "calls"}`;
}

/** Text of a model with nothing in it that a terminal obeys but line ends and tabs. */
function visibleText(text: string): string {
  return text
    .split("\n")
    .map((part) => part.split("\t").map(makeVisible).join("\t"))
    .join("\n");
}

const MAIN = ["path", "command", "pattern", "query", "glob", "process_id"];

function mainArgument(text: string): string {
  try {
    const args = JSON.parse(text) as Record<string, unknown>;
    const name = MAIN.find((key) => typeof args[key] === "string");
    return name === undefined ? "" : String(args[name]);
  } catch {
    return "";
  }
}

/** The first line of a result, without the code of its error. */
function reasonIn(content: string): string {
  return content.split("\n", 1)[0]!.replace(/^Error [A-Z_]+: /, "");
}

function cut(text: string): string {
  return text.length <= MAX_COLUMNS ? text : `${text.slice(0, MAX_COLUMNS - 1)}…`;
}
