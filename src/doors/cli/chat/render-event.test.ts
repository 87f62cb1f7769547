import { expect, test } from "vitest";
import type { AgentEvent, AgentEventBody } from "../../../agent/agent-event.ts";
import { createRenderer } from "./render-event.ts";

/** What the terminal shows of a command with this output, which arrives in these pieces. */
function showOutput(...pieces: readonly string[]): string {
  const { render } = createRenderer(false, []);
  const event = (body: AgentEventBody): AgentEvent => ({ seq: 1, ts: "", ...body });
  const callId = "c";
  const started = event({ kind: "call.started", callId, tool: "run_command" });
  const output = pieces.map((text) =>
    event({ kind: "call.output", callId, tool: "run_command", stream: "stdout", text }),
  );
  const message = { role: "tool", callId, name: "run_command", content: "", isError: false } as const;
  const ended = event({ kind: "call.result", callId, outcome: "executed_ok", message });
  return [started, ...output, ended].map(render).join("");
}

const shown = (...lines: readonly string[]) =>
  ["● run_command", ...lines.map((line) => `  │ ${line}`), ""].join("\n");

test.each([
  ["a line in two pieces is one", ["on", "e\ntwo\n"], ["one", "two"]],
  ["a line in pieces of one character is one", [..."one\n\ntwo\n"], ["one", "two"]],
  ["a last line without its end is shown at the end of the call", ["one\n", "tw", "o"], ["one", "two"]],
  [
    "folded lines are counted whole",
    [..."1\n2\n3\n4\n5\nsix\nseven\n"],
    ["1", "2", "3", "4", "5", "… 2 more lines"],
  ],
  ["one folded line", ["1\n2\n3\n4\n5\nsi", "x"], ["1", "2", "3", "4", "5", "… 1 more line"]],
  ["a long line is cut", ["x".repeat(900), "x".repeat(900), "\n"], [`${"x".repeat(159)}…`]],
  ["no output", [], []],
])("output of a command: %s", (_, pieces, lines) => {
  expect(showOutput(...pieces)).toBe(shown(...lines));
});
