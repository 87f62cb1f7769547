// Kills an agent at random moments and resumes it until it is done.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { AgentEvent } from "../../../src/agent/agent-event.ts";
import { readTranscript } from "../../../src/agent/transcript.ts";
import { readLog } from "../../../src/log/read.ts";
import { listRuns, runPaths } from "../../../src/log/runs.ts";
import { verifyLog } from "../../../src/log/verify.ts";
import type { ModelMessage } from "../../../src/models/model.ts";
import { isWellFormed } from "../worlds/stub-model.ts";
import { tempDir } from "../worlds/temp-cell.ts";
import { openWires, type Wires } from "../worlds/wire-bodies.ts";

const CHILD = fileURLToPath(new URL("../children/agent-child.mjs", import.meta.url));

export interface CrashedRun {
  readonly kills: number;
  /** The number of times that each effect happened. */
  readonly marks: readonly number[];
  /** The number of calls that were reported to the model as interrupted. */
  readonly interrupted: number;
  /** The number of conversations that were sent on every wire. */
  readonly sent: number;
}

/**
 * One run of `turns` turns with two calls each, killed up to `maxKills` times: first in a call that never ends, later `pause`
 * milliseconds after the first event of the resumed run.
 */
export async function crashRun(turns: number, maxKills: number, pause: () => number): Promise<CrashedRun> {
  const wires = await openWires();
  try {
    return await crashAndCheck(turns, maxKills, pause, wires);
  } finally {
    await wires.close();
  }
}

async function crashAndCheck(
  turns: number,
  maxKills: number,
  pause: () => number,
  wires: Wires,
): Promise<CrashedRun> {
  const top = tempDir();
  const [project, stateDir, script, marks] = ["project", "state", "script.json", "marks"].map((name) =>
    path.join(top, name),
  );
  fs.mkdirSync(project!);
  fs.writeFileSync(marks!, "");
  const call = (n: number) => scriptedCall(n, turns);
  const played = Array.from({ length: turns }, (_, at) => ({
    // An answer with calls has text or none.
    ...(at % 2 === 1 && { text: "I go on." }),
    calls: [call(2 * at), call(2 * at + 1)],
  }));
  fs.writeFileSync(script!, JSON.stringify({ turns: [...played, { text: "Done." }] }));
  let run: string | undefined;
  let sent = 0;
  for (let kills = 0; ; kills++) {
    const stuck = kills === 0 && maxKills > 0 ? String(turns) : "none";
    const more = run === undefined ? [] : [run];
    const child = spawn(process.execPath, [CHILD, project!, stateDir!, script!, marks!, stuck, ...more]);
    const { ended, hasPrinted } = follow(child);
    const moment =
      stuck === "none" ? hasPrinted(/^run_\w+$/m).then(() => setTimeout(pause())) : hasPrinted(/^stuck$/m);
    const isKilled =
      kills < maxKills && (await Promise.race([moment.then(() => true), ended.then(() => false)]));
    if (isKilled) child.kill("SIGKILL");
    const { out, err } = await ended;
    run ??= /^run_\w+/m.exec(out)?.[0];
    const { events, transcripts, begun } = readAll(stateDir!);
    expect(begun.filter((one, at) => begun.indexOf(one) !== at)).toEqual([]);
    for (const messages of transcripts) {
      expect(isWellFormed({ messages })).toBe(true);
      expect(await findFaults(messages, wires)).toEqual([]);
      sent += 1;
    }
    if (isKilled) continue;
    expect(out, err).toMatch(/^done$/m);
    const ran = JSON.parse(/^ran (.*)$/m.exec(out)![1]!) as string;
    const lines = [fs.readFileSync(marks!, "utf8"), ran, ...begun.flatMap(writtenNumber)];
    const counts = lines.flatMap((text) => text.match(/\d+$/gm) ?? []).map(Number);
    return {
      kills,
      marks: Array.from({ length: 2 * turns }, (_, n) => counts.filter((other) => other === n).length),
      interrupted: events.filter((event) => event.kind === "call.result" && event.outcome === "interrupted")
        .length,
      sent,
    };
  }
}

/** Every third call of each kind; the one that never ends is of `mark`. */
function scriptedCall(n: number, stuck: number): object {
  if (n === stuck || n % 3 === 0) return { name: "mark", arguments: { n } };
  return n % 3 === 1
    ? { name: "write_file", arguments: { path: `written/${n}`, content: `${n}\n` } }
    : { name: "run_command", arguments: { command: `echo ${n} >> ran; sleep 0.02` } };
}

/** Of a write only the record of its beginning tells how often it was done. */
const writtenNumber = (begun: string): string[] => begun.match(/(?<=^write_file .*written\/)\d+/) ?? [];

function follow(child: ChildProcess) {
  let out = "";
  let err = "";
  child.stdout!.on("data", (bytes) => {
    out += String(bytes);
  });
  child.stderr!.on("data", (bytes) => {
    err += String(bytes);
  });
  return {
    ended: once(child, "close").then(() => ({ out, err })),
    async hasPrinted(line: RegExp): Promise<void> {
      while (!line.test(out)) await once(child.stdout!, "data");
    },
  };
}

/** What each provider would refuse in the conversation as it is, and in the one that goes on with a new prompt. */
async function findFaults(messages: readonly ModelMessage[], wires: Wires): Promise<string[]> {
  const isAnswered = messages.at(-1)?.role === "assistant";
  const asIs = messages.length === 0 || isAnswered ? [] : await wires.faultsOf(messages);
  return [...asIs, ...(await wires.faultsOf([...messages, { role: "user", content: "And now?" }]))];
}

/** After each kill the execution log is intact. Returns the events of all agent runs, and the conversation of each. */
function readAll(stateDir: string): {
  readonly events: AgentEvent[];
  readonly transcripts: ModelMessage[][];
  /** The calls of the scripts that began, as texts: no two are the same. */
  readonly begun: string[];
} {
  const begun: string[] = [];
  const all: AgentEvent[] = [];
  const transcripts: ModelMessage[][] = [];
  for (const id of listRuns(stateDir)) {
    const { dir, logFile, anchorFile } = runPaths(stateDir, id);
    expect(verifyLog(logFile, anchorFile)).toMatchObject({ ok: true });
    for (const { record } of readLog(logFile))
      if (record?.kind === "tool.intent" && record.toolName !== "read_file")
        begun.push(`${record.toolName} ${JSON.stringify(record.input)}`);
    for (const name of namesIn(path.join(dir, "agent")).filter((one) => one.endsWith(".jsonl"))) {
      const lines = fs.readFileSync(path.join(dir, "agent", name), "utf8").split("\n");
      const events = lines.slice(0, -1).map((line) => JSON.parse(line) as AgentEvent);
      transcripts.push(readTranscript(events));
      all.push(...events);
    }
  }
  return { events: all, transcripts, begun };
}

const namesIn = (dir: string) => (fs.existsSync(dir) ? fs.readdirSync(dir) : []);
