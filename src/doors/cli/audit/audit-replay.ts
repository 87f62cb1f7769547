// hotcell audit replay: runs a deterministic call of a wasm tool again from its recording, and compares.
import { hash } from "node:crypto";
import { closeSync, constants, readFileSync } from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { openIfThere } from "../../../log/log-file.ts";
import { readLog } from "../../../log/read.ts";
import type { LogRecord } from "../../../log/record.ts";
import { verifyLog } from "../../../log/verify.ts";
import {
  type RecordedResult,
  type Recording,
  readRecording,
} from "../../../runners/wasm/recording/recording.ts";
import { outputText, replayRecording } from "../../../runners/wasm/recording/replay.ts";
import type { GuestProgram } from "../../../tools/wasm/guests.ts";
import { commandProgram, scriptProgram } from "../../../tools/wasm/program.ts";
import { formatCount } from "../figures.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printJson, printLines, usage } from "../io.ts";
import type { LogFlags } from "../main.ts";
import { findLogs, type LogPlace } from "./audit.ts";

/** Exit 0 if output, fuel and everything else are the same, 1 if not. */
export async function replayCall(io: Io, call: string, flags: LogFlags): Promise<ExitCode> {
  const { place, record } = findCall(await findLogs(io, flags), call);
  const file = recordingFile(place, record);
  const bytes = readRecordingFile(file);
  const about = { call: `${record.toolCallId}`, tool: `${record.toolName}` };
  const tampering = findTampering(place, file, bytes);
  const replay = tampering ?? (await replayBytes(bytes));
  if (flags.json === true) printJson(io, { ...about, ...summaryOf(replay) }, true);
  else printLines(io, ...describe(about, replay));
  return replay.differences.length === 0 ? 0 : 1;
}

interface ReplayedCall {
  readonly differences: readonly {
    readonly what: string;
    readonly recorded: string;
    readonly replayed: string;
  }[];
  /** Null if it cannot be believed. */
  readonly recording: Recording | null;
  readonly replayed: RecordedResult | null;
}

async function replayBytes(bytes: Buffer): Promise<ReplayedCall> {
  const recording = readRecording(bytes) ?? notOfThisVersion();
  const program = loadProgram(recording);
  const replay = await interruptible("end the replay", (signal) =>
    replayRecording(recording, program, signal),
  );
  return { recording, ...replay };
}

interface FoundCall {
  readonly place: LogPlace;
  /** Of its end. */
  readonly record: LogRecord;
}

/** By its id, by the number of one of its records (`#3`), or the last one with a recording. */
function findCall(places: readonly LogPlace[], call: string): FoundCall {
  const number = /^#(\d+)$/.exec(call)?.[1];
  const isMeant = ({ seq, intent, toolCallId, recording }: LogRecord) => {
    if (call === "last") return recording !== undefined;
    return number === undefined ? toolCallId === call : [seq, intent].includes(Number(number));
  };
  const found = places
    .flatMap((place) => [...readLog(place.logFile)].map(({ record }) => ({ place, record })))
    .filter((one): one is FoundCall => one.record?.kind === "tool.exec" && isMeant(one.record))
    .sort((one, two) => two.record.ts.localeCompare(one.record.ts));
  if (found.length === 0)
    throw new HotcellError(
      "NOT_FOUND",
      `There is no ended call ${quote(call)} in the log. See hotcell audit show.`,
    );
  if (found.length > 1 && call !== "last")
    throw usage(`There are ${found.length} calls ${quote(call)}. Name the log with --session or --log.`);
  return found[0]!;
}

function recordingFile({ recordingsDir }: LogPlace, { recording: id, toolName }: LogRecord): string {
  if (typeof id === "string" && /^[0-9a-f]{64}$/.test(id)) return path.join(recordingsDir, id);
  throw usage(
    `Could not replay the call: ${quote(toolName)} was not called with --deterministic, or did not come to its end.`,
  );
}

/** The recording is known by its hash in the log, and a forged log could name any. */
function findTampering({ logFile, anchorFile }: LogPlace, file: string, bytes: Buffer): ReplayedCall | null {
  const log = verifyLog(logFile, anchorFile);
  const found = hash("sha256", bytes, "hex");
  const differences = [
    ...(log.ok ? [] : [{ what: "log", recorded: "as hotcell wrote it", replayed: log.message }]),
    ...(found === path.basename(file)
      ? []
      : [{ what: "recording", recorded: path.basename(file), replayed: found }]),
  ];
  return differences.length === 0 ? null : { differences, recording: null, replayed: null };
}

function readRecordingFile(file: string): Buffer {
  const fd = openIfThere(file, constants.O_RDONLY);
  if (fd === undefined)
    throw new HotcellError(
      "NOT_FOUND",
      `Could not replay the call: its recording ${quote(file)} was removed.`,
    );
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function notOfThisVersion(): never {
  throw new HotcellError(
    "NOT_SUPPORTED",
    "Could not replay the call: another version of hotcell recorded it.",
  );
}

/** Code that came with the call is in the recording. A tool's is read again, and must be the same. */
function loadProgram({ file, sha256, memoryMiB, run }: Recording): GuestProgram {
  if (file === null) return scriptProgram(run.script ?? "", sha256);
  const code = readCode(file);
  const found = hash("sha256", code, "hex");
  if (found !== sha256)
    throw usage(
      `Could not replay the call: ${quote(file)} has changed since. Its SHA-256 was ${sha256}, and is ${found}.`,
    );
  return run.script === null
    ? commandProgram(code, sha256, memoryMiB)
    : scriptProgram(code.toString(), sha256);
}

function readCode(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw usage(`Could not replay the call: its code ${quote(file)} cannot be read (${osErrorCode(error)}).`);
  }
}

function summaryOf({ recording, replayed, differences }: ReplayedCall) {
  return {
    same: differences.length === 0,
    differences,
    messages: recording?.replies.length ?? null,
    recorded: recording && resultOf(recording.result),
    replayed: replayed && resultOf(replayed),
  };
}

function resultOf(result: RecordedResult) {
  const { status, exitCode, fuel, memoryBytes } = result;
  return { status, exitCode, fuel, memoryBytes, output: outputText(result) };
}

function describe(
  { call, tool }: { readonly call: string; readonly tool: string },
  { differences, recording }: ReplayedCall,
): string[] {
  const of = `${tool} (${call})`;
  if (recording === null || differences.length > 0)
    return [
      `DIFFERENT: ${of}`,
      ...differences.map(
        ({ what, recorded, replayed }) => `  ${what}: recorded ${quote(recorded)}, now ${quote(replayed)}`,
      ),
    ];
  const { result, replies } = recording;
  const bytes = formatCount(Buffer.byteLength(outputText(result)), "byte");
  const messages = formatCount(replies.length, "message");
  return [`The same: ${of}, ${result.fuel} fuel, ${bytes} of output, ${messages} to hotcell`];
}
