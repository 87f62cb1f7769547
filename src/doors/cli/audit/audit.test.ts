import { mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CliWorld, openCliWorld } from "../../../../test/kit/worlds/cli-world.ts";
import {
  appendForged,
  logCall,
  makeRunLog,
  type RunLog,
  restart,
  runLogIn,
} from "../../../../test/kit/worlds/run-log.ts";
import { openFreeLog } from "../../../log/open-free-log.ts";
import type { ExitCode, Io } from "../io.ts";
import type { LogFlags } from "../main.ts";
import { showLogs, verifyLogs } from "./audit.ts";

/** A run with one call in its log. */
function logOne(): RunLog {
  const run = makeRunLog();
  const log = run.open();
  logCall(log, "a");
  log.close();
  return run;
}

/** What a command prints below the name of the log, and its exit. */
async function audit({ stateDir, logFile }: RunLog, command: (io: Io, flags: LogFlags) => Promise<ExitCode>) {
  let out = "";
  const io = { env: {}, cwd: stateDir, out: (text: string) => (out += text) } as unknown as Io;
  const code = await command(io, { stateDir });
  return { code, lines: out.replace(`${logFile}\n`, "").split("\n").slice(0, -1) };
}

function wayOut({ stateDir }: RunLog): string[] {
  return [
    "  After you have examined it, move both of these while no cell uses them. Then a new log begins:",
    `    ${stateDir}/runs/run-1/logs to OLD/runs/run-1/logs`,
    `    ${stateDir}/anchors/run-1.json to OLD/anchors/run-1.json`,
    "  Verify the old log with --state-dir OLD.",
  ];
}

describe("hotcell audit verify", () => {
  test("exits 1 for a log that lost records in a restart, after it went on as well", async () => {
    const run = logOne();
    truncateSync(run.logFile);
    restart(run);
    run.open().close();
    for (let round = 0; round < 2; round++)
      expect(await audit(run, verifyLogs)).toEqual({
        code: 1,
        lines: [
          expect.stringMatching(
            /^ {2}NOT WHOLE: 1 record, head \w+; lost before a restart: 2 \(in a power failure, or cut off\)$/,
          ),
          ...wayOut(run),
        ],
      });
  });

  test("looks at all logs of cells that are open together", async () => {
    const { stateDir } = makeRunLog();
    const logs = [1, 2].map(() => openFreeLog(stateDir, "run-1", []));
    for (const log of logs) logCall(log, "a");
    const { code, lines } = await audit(runLogIn(stateDir, "run-1.2"), verifyLogs);
    const intact = expect.stringMatching(/^ {2}intact: 2 records, head \w+$/);
    expect({ code, lines }).toEqual({ code: 0, lines: [logs[0]!.file, intact, intact] });
  });

  test("exits 1 for a forged record, before and after a restart takes it in", async () => {
    const run = logOne();
    appendForged(run);
    expect(await audit(run, verifyLogs)).toEqual({
      code: 1,
      lines: [
        "  BROKEN (unanchored) at execution.jsonl:3. The log ends with record 3, but its anchor names record 2. Later records may be forged.",
        ...wayOut(run),
      ],
    });
    restart(run);
    run.open().close();
    expect(await audit(run, verifyLogs)).toEqual({
      code: 1,
      lines: [
        expect.stringMatching(
          /^ {2}NOT WHOLE: 4 records, head \w+; not anchored before a restart: 1 \(a power failure, or forged\)$/,
        ),
        ...wayOut(run),
      ],
    });
  });
});

describe("a log that is not continued", () => {
  test("is moved away as its verification says; a new one begins, and the old one is still found broken", async () => {
    const world = openCliWorld({ a: "x" });
    expect((await read(world)).code).toBe(0);
    const { log } = JSON.parse((await world.run(["audit", "verify", "--json"])).out)[0];
    writeFileSync(log, readFileSync(log, "utf8").replace(/.*\n$/, ""));
    expect(await read(world)).toMatchObject({
      code: 2,
      err: expect.stringContaining('"hotcell audit verify": it shows the problem'),
    });
    const old = path.join(world.root, "../old");
    moveAsTold((await world.run(["audit", "verify"])).out, old);
    expect((await read(world)).code).toBe(0);
    expect((await world.run(["audit", "verify"])).code).toBe(0);
    expect(await world.run(["audit", "verify", "--state-dir", old])).toMatchObject({
      code: 1,
      out: expect.stringContaining("BROKEN (truncated)"),
    });
  });
});

function read(world: CliWorld) {
  return world.run(["call", "read_file", '{"path":"a"}', "--fs", "host"]);
}

function moveAsTold(said: string, old: string): void {
  for (const [, from, to] of said.matchAll(/^ {4}(\S+) to OLD\/(\S+)$/gm)) {
    mkdirSync(path.join(old, path.dirname(to!)), { recursive: true });
    renameSync(from!, path.join(old, to!));
  }
}

test("hotcell audit show takes a record with fields that no record has for none", async () => {
  const run = logOne();
  const text = readFileSync(run.logFile, "utf8");
  writeFileSync(run.logFile, text.replace('"outcome":"executed_ok"', '"outcome":{"toString":0}'));
  appendForged(run, { toolName: { toString: 0 } });
  const { code, lines } = await audit(run, showLogs);
  expect(code).toBe(0);
  expect(lines.map((line) => line.replace(/\d{4}-\S+Z/, "TIME"))).toEqual([
    "  #1  TIME  tool.intent  read_file",
    "  #2  TIME  tool.exec  read_file  12.5 ms",
    expect.stringMatching(/^ {2}not a record: \{"seq":3,/),
  ]);
});
