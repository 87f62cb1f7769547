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
import { listRuns, runPaths } from "../../../src/log/runs.ts";
import { verifyLog } from "../../../src/log/verify.ts";
import { isWellFormed } from "../worlds/stub-model.ts";
import { tempDir } from "../worlds/temp-cell.ts";

const CHILD = fileURLToPath(new URL("../children/agent-child.mjs", import.meta.url));

export interface CrashedRun {
  readonly kills: number;
  /** The number of times that each effect happened. */
  readonly marks: readonly number[];
  /** The number of calls that were reported to the model as interrupted. */
  readonly interrupted: number;
}

/**
 * One run of `turns` turns with two calls each, killed up to `maxKills` times: first in a call that never ends, later `pause`
 * milliseconds after the first event of the resumed run.
 */
export async function crashRun(turns: number, maxKills: number, pause: () => number): Promise<CrashedRun> {
  const top = tempDir();
  const [project, stateDir, script, marks] = ["project", "state", "script.json", "marks"].map((name) =>
    path.join(top, name),
  );
  fs.mkdirSync(project!);
  fs.writeFileSync(marks!, "");
  const call = (n: number) => ({ name: "mark", arguments: { n } });
  const played = Array.from({ length: turns }, (_, at) => ({ calls: [call(2 * at), call(2 * at + 1)] }));
  fs.writeFileSync(script!, JSON.stringify({ turns: [...played, { text: "Done." }] }));
  let run: string | undefined;
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
    const events = checkAll(stateDir!);
    if (isKilled) continue;
    expect(out, err).toMatch(/^done$/m);
    const counts = fs.readFileSync(marks!, "utf8").trimEnd().split("\n").map(Number);
    return {
      kills,
      marks: Array.from({ length: 2 * turns }, (_, n) => counts.filter((other) => other === n).length),
      interrupted: events.filter((event) => event.kind === "call.result" && event.outcome === "interrupted")
        .length,
    };
  }
}

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

/** After each kill the execution log is intact, and the conversation is well formed. Returns the events of the run. */
function checkAll(stateDir: string): AgentEvent[] {
  const all: AgentEvent[] = [];
  for (const id of listRuns(stateDir)) {
    const { dir, logFile, anchorFile } = runPaths(stateDir, id);
    expect(verifyLog(logFile, anchorFile)).toMatchObject({ ok: true });
    for (const name of namesIn(path.join(dir, "agent")).filter((one) => one.endsWith(".jsonl"))) {
      const lines = fs.readFileSync(path.join(dir, "agent", name), "utf8").split("\n");
      const events = lines.slice(0, -1).map((line) => JSON.parse(line) as AgentEvent);
      expect(isWellFormed({ messages: readTranscript(events) })).toBe(true);
      all.push(...events);
    }
  }
  return all;
}

const namesIn = (dir: string) => (fs.existsSync(dir) ? fs.readdirSync(dir) : []);
