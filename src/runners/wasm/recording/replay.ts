// Runs the guest of a recording again, with the recorded replies: nothing is read, requested or changed.
import { hash } from "node:crypto";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import type { GuestProgram } from "../../../tools/wasm/guests.ts";
import { pagesOf } from "../../../wasm/contract.ts";
import type { AnswerMessage } from "../answer-message.ts";
import { createOutput } from "../output.ts";
import { openGuestProcesses } from "../pool/open-processes.ts";
import { messageHash, type RecordedReply, type RecordedResult, type Recording } from "./recording.ts";

export interface Replay {
  /** What differs; empty if the replay is the same. */
  readonly differences: readonly ReplayDifference[];
  /** Null if the guest was ended because it sent another message than the recorded one. */
  readonly replayed: RecordedResult | null;
}

export interface ReplayDifference {
  readonly what: "messages" | keyof RecordedResult;
  readonly recorded: string;
  readonly replayed: string;
}

/** Throws NOT_SUPPORTED if this hotcell would run another module for the same code. */
export async function replayRecording(
  recording: Recording,
  program: GuestProgram,
  signal: AbortSignal,
): Promise<Replay> {
  const { run, memoryMiB, sha256 } = recording;
  const module = program.meter(pagesOf(memoryMiB));
  if (hash("sha256", module.bytes, "hex") !== recording.meteredSha256) throw otherMeter();
  const answers = createReplayAnswers(recording.replies);
  const output = createOutput({}, { emit() {} });
  const processes = openGuestProcesses(1, memoryMiB);
  try {
    const guest = await processes.pool.take(recording.tool, signal);
    const ended = endBy(signal, guest.kill);
    try {
      const input = Buffer.from(recording.input, "base64");
      const job = { moduleKey: sha256, module, message: run, input };
      const end = await guest.run({ ...job, answer: answers.answer, onOutput: output.take });
      const replayed = { ...end, stdout: output.stdout().toString("base64") };
      return { replayed, differences: [...answers.difference(), ...compare(recording.result, replayed)] };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof OtherMessage)) throw error;
      return { replayed: null, differences: answers.difference() };
    } finally {
      ended();
      processes.pool.give(guest);
    }
  } finally {
    await processes.close();
  }
}

/** Ends the guest with the signal, or when a call of the longest limit would have ended. */
function endBy(signal: AbortSignal, kill: () => Promise<void>): () => void {
  const end = () => void kill();
  const timer = setTimeout(end, LIMITS.wasm.maxTimeoutMs);
  signal.addEventListener("abort", end, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  };
}

/** The guest sent a message that is not the recorded one. */
class OtherMessage extends Error {}

function createReplayAnswers(replies: readonly RecordedReply[]) {
  let next = 0;
  let isOther = false;
  const answer: AnswerMessage = (message) => {
    const reply = replies[next];
    isOther = reply === undefined || reply.message !== messageHash(message);
    if (isOther) throw new OtherMessage();
    next++;
    return { head: reply!.head, body: Buffer.from(reply!.body, "base64") };
  };
  const difference = (): ReplayDifference[] => {
    const recorded = `${replies.length} messages to hotcell`;
    if (isOther) return [{ what: "messages", recorded, replayed: `another message ${next + 1}` }];
    if (next === replies.length) return [];
    return [{ what: "messages", recorded, replayed: `${next} messages to hotcell` }];
  };
  return { answer, difference };
}

const COMPARED = ["status", "exitCode", "message", "fuel", "memoryBytes", "memoryDenied"] as const;

function compare(recorded: RecordedResult, replayed: RecordedResult): ReplayDifference[] {
  const differences: ReplayDifference[] = COMPARED.filter((what) => recorded[what] !== replayed[what]).map(
    (what) => ({ what, recorded: `${recorded[what]}`, replayed: `${replayed[what]}` }),
  );
  if (recorded.stdout === replayed.stdout) return differences;
  return [...differences, { what: "stdout", recorded: outputText(recorded), replayed: outputText(replayed) }];
}

export function outputText({ stdout }: RecordedResult): string {
  return Buffer.from(stdout, "base64").toString();
}

function otherMeter(): HotcellError {
  return new HotcellError(
    "NOT_SUPPORTED",
    "Could not replay the call: this version of hotcell runs another module for the same code, because its meter or its QuickJS changed. Use the version that ran the call.",
  );
}
