// A chat that is killed in the middle of a command, and the one that resumes it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../../src/agent/agent-event.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const HOTCELL = path.join(ROOT, "bin/hotcell.js");
const TURNS = [
  { calls: [{ name: "write_file", arguments: { path: "a.txt", content: "first\n" } }] },
  { calls: [{ name: "run_command", arguments: { command: "echo once >> b.txt; echo ready; sleep 600" } }] },
  { text: "Done." },
];

function openWorld() {
  const top = tempDir();
  const [project, state, script] = ["project", "state", "script.json"].map((name) => path.join(top, name));
  fs.mkdirSync(project!);
  fs.writeFileSync(script!, JSON.stringify({ turns: TURNS }));
  const args = ["--model", `scripted/${script}`, "--trust", "autonomous", "--json"];
  return { args, options: { cwd: project!, env: { ...process.env, HOTCELL_STATE_DIR: state! } } };
}

/** Kills the chat once its command has printed that it has changed a file. */
async function killInCommand({ args, options }: ReturnType<typeof openWorld>): Promise<AgentEvent[]> {
  const chat = spawn(process.execPath, [HOTCELL, "chat", "go", ...args], {
    ...options,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void chat.kill("SIGKILL"));
  const ended = once(chat, "close");
  const events: AgentEvent[] = [];
  for await (const line of createInterface({ input: chat.stdout })) {
    const event = JSON.parse(line) as AgentEvent;
    events.push(event);
    if (event.kind === "call.output" && event.text.includes("ready")) chat.kill("SIGKILL");
  }
  expect(await ended).toEqual([null, "SIGKILL"]);
  return events;
}

test.each(["its id", "last"])(
  "chat --resume with %s after kill -9 goes on: nothing runs twice, and the model is told what the interrupted call has changed",
  async (by) => {
    const world = openWorld();
    const [start] = await killInCommand(world);
    const { run } = start as Extract<AgentEvent, { kind: "run.start" }>;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [HOTCELL, "chat", "--resume", by === "last" ? by : run, ...world.args],
      { ...world.options, encoding: "utf8" },
    );
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AgentEvent);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("hotcell:")]);
    expect(events[0]).toMatchObject({ kind: "run.start", run });
    const results = events.filter((event) => event.kind === "call.result");
    expect(results).toMatchObject([
      { outcome: "interrupted", message: { name: "run_command", isError: true } },
    ]);
    expect(results[0]!.message.content).toMatch(
      /The call was interrupted: it may have done all, a part or nothing of its work\. It changed:\n(.*\n)*\+once\n/,
    );
    expect(results[0]!.message.content).not.toContain("first");
    expect(events.at(-1)).toMatchObject({ kind: "run.end", stop: "done", usage: { calls: 2 } });
    const { session } = events[0] as Extract<AgentEvent, { kind: "run.start" }>;
    const diff = spawnSync(process.execPath, [HOTCELL, "session", "diff", session!], {
      ...world.options,
      encoding: "utf8",
    });
    expect(diff.stdout.match(/^\+\w+$/gm)).toEqual(["+first", "+once"]);
  },
);
