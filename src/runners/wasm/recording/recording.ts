// Everything that a deterministic call depended on, and what came of it. From a recording the guest can run again,
// without the project, the network and the model. It has the whole content of what hotcell replied.
import { hash } from "node:crypto";
import type { JsonObject } from "../../../core/json.ts";
import { LIMITS } from "../../../core/limits.ts";
import type { GuestProgram } from "../../../tools/wasm/guests.ts";
import type { MeteredModule } from "../../../wasm/meter.ts";
import type { AnswerMessage } from "../answer-message.ts";
import type { Frame } from "../guest/frames.ts";
import type { GuestEnd } from "../guest/run-guest.ts";
import { limitError } from "../limit-errors.ts";
import type { GuestJob } from "../pool/guest-process.ts";

const VERSION = 1;
/** Of a reply, beside its content. */
const ENTRY_BYTES = 128;

/** One message of the guest, and the reply. */
export interface RecordedReply {
  /** The SHA-256 of the message. */
  readonly message: string;
  readonly head: JsonObject;
  /** In base64. */
  readonly body: string;
}

export interface Recording {
  readonly version: typeof VERSION;
  readonly tool: string;
  /** The file of its code; null for code that came with the call. */
  readonly file: string | null;
  /** Of its code, and of the module that ran: the meter's output for that code, or for QuickJS. */
  readonly sha256: string;
  readonly meteredSha256: string;
  readonly memoryMiB: number;
  readonly run: GuestJob["message"];
  /** Standard input, in base64. */
  readonly input: string;
  readonly replies: readonly RecordedReply[];
  readonly result: RecordedResult;
}

export interface RecordedResult extends GuestEnd {
  /** In base64. */
  readonly stdout: string;
}

export interface RecordedProgram {
  readonly tool: string;
  readonly program: GuestProgram;
  readonly module: MeteredModule;
  readonly memoryMiB: number;
}

export interface Recorder {
  /** The same answers, recorded. */
  readonly answer: AnswerMessage;
  finish(job: Pick<GuestJob, "message" | "input">, end: GuestEnd, stdout: Buffer): Buffer;
}

/** A call whose recording is longer than the limit is ended: it could not be repeated. */
export function createRecorder(
  { tool, program, module, memoryMiB }: RecordedProgram,
  answer: AnswerMessage,
): Recorder {
  const replies: RecordedReply[] = [];
  let bytes = 0;
  const record = (message: Frame, reply: Frame): Frame => {
    bytes += ENTRY_BYTES + JSON.stringify(reply.head).length + reply.body.length;
    if (bytes > LIMITS.maxRecordingBytes) throw tooLong();
    replies.push({
      message: messageHash(message),
      head: reply.head,
      body: Buffer.from(reply.body).toString("base64"),
    });
    return reply;
  };
  return {
    answer(message) {
      const reply = answer(message);
      return reply instanceof Promise
        ? reply.then((given) => record(message, given))
        : record(message, reply);
    },
    finish({ message: run, input }, end, stdout) {
      const recording: Recording = {
        version: VERSION,
        tool,
        file: program.file ?? null,
        sha256: program.sha256,
        meteredSha256: hash("sha256", module.bytes, "hex"),
        memoryMiB,
        run,
        input: Buffer.from(input).toString("base64"),
        replies,
        result: { ...end, stdout: stdout.toString("base64") },
      };
      return Buffer.from(JSON.stringify(recording));
    },
  };
}

export function messageHash({ head, body }: Frame): string {
  return hash("sha256", Buffer.concat([Buffer.from(JSON.stringify(head)), Buffer.from("\0"), body]), "hex");
}

/** The bytes are those that the log names: nobody but hotcell wrote them. Null for those of another version. */
export function readRecording(bytes: Buffer): Recording | null {
  const recording = JSON.parse(bytes.toString()) as Recording;
  return recording.version === VERSION ? recording : null;
}

function tooLong() {
  return limitError(
    "OUTPUT_LIMIT",
    `the replies to record are more than ${LIMITS.maxRecordingBytes} bytes`,
    "Let it ask for less, or call it without deterministic.",
    { limit: LIMITS.maxRecordingBytes },
  );
}
