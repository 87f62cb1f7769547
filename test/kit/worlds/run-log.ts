import { hash } from "node:crypto";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Anchor } from "../../../src/log/anchor.ts";
import {
  type ExecEvent,
  type IntentEvent,
  type Log,
  type LogOptions,
  openLog,
} from "../../../src/log/log.ts";
import { readLog } from "../../../src/log/read.ts";
import type { LogRecord } from "../../../src/log/record.ts";
import { type RunPaths, runPaths } from "../../../src/log/runs.ts";
import { type Verification, verifyLog } from "../../../src/log/verify.ts";

export interface RunLog extends RunPaths {
  readonly stateDir: string;
  open(options?: Partial<LogOptions>): Log;
  records(): LogRecord[];
  lines(): string[];
  verify(): Verification;
}

/** A run in a new state directory, which is removed after the test. */
export function makeRunLog(): RunLog {
  const stateDir = mkdtempSync(join(tmpdir(), "hotcell-log-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  return runLogIn(stateDir, "run-1");
}

export function runLogIn(stateDir: string, runId: string): RunLog {
  const paths = runPaths(stateDir, runId);
  return {
    ...paths,
    stateDir,
    open: (options = {}) => openLog({ dir: paths.dir, anchorFile: paths.anchorFile, ...options }),
    records: () => [...readLog(paths.logFile)].map(({ record, text }) => record ?? fail(text)),
    lines: () => readFileSync(paths.logFile, "utf8").split("\n").slice(0, -1),
    verify: () => verifyLog(paths.logFile, paths.anchorFile),
  };
}

function fail(text: string): never {
  throw new Error(`not a record: ${text}`);
}

const RULE = { text: "allow read_file", source: "hotcell.config.json", line: 3 };

export function intentOf(toolCallId: string, more: Partial<IntentEvent> = {}): IntentEvent {
  const input = { path: "src/a.ts" };
  return {
    toolCallId,
    toolName: "read_file",
    agentId: null,
    input,
    digest: "d1",
    rule: RULE,
    changes: false,
    ...more,
  };
}

export function execOf(toolCallId: string, more: Partial<ExecEvent> = {}): ExecEvent {
  const call = { toolCallId, toolName: "read_file", agentId: null, input: { path: "src/a.ts" } };
  return {
    ...call,
    intent: null,
    output: { ok: true },
    outcome: { status: "executed_ok" },
    rule: RULE,
    durationMs: 12.5,
    ...more,
  };
}

/** One complete call: its intent and its outcome. */
export function logCall(log: Log, toolCallId: string): void {
  const intent = log.intent(intentOf(toolCallId));
  log.exec(execOf(toolCallId, { intent }));
}

/** A log whose lock belongs to a process that is dead. */
export function openAsDead(run: RunLog, options: Partial<LogOptions> = {}): Log {
  const pid = process.pid;
  Object.defineProperty(process, "pid", { value: 99_999_999, configurable: true });
  try {
    return run.open(options);
  } finally {
    Object.defineProperty(process, "pid", { value: pid, configurable: true });
  }
}

/** Appends a valid record without updating the anchor, as an attacker would who cannot write the anchor. */
export function appendForged(run: RunLog, fields: object = {}): void {
  const last = JSON.parse(run.lines().at(-1)!);
  const record = { seq: last.seq + 1, ts: "", kind: "tool.exec", ...fields, prev: last.hash };
  const body = JSON.stringify(record).slice(0, -1);
  appendFileSync(run.logFile, `${body},"hash":"${hash("sha256", body, "hex")}"}\n`);
}

function editAnchor(run: RunLog, edit: (anchor: Anchor) => Partial<Anchor>): void {
  const anchor: Anchor = JSON.parse(readFileSync(run.anchorFile, "utf8"));
  writeFileSync(run.anchorFile, JSON.stringify({ ...anchor, ...edit(anchor) }));
}

/** Pretends that the machine was restarted since the last write to the log. */
export function restart(run: RunLog): void {
  editAnchor(run, ({ writer }) => ({ writer: writer.split(":").with(2, "before").join(":") }));
}
