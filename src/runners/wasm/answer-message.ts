// The replies to the messages of a guest: file operations, and `hotcell.call`.
import { answerFileMessage } from "./guest/file-messages.ts";
import { type Frame, NO_BYTES } from "./guest/frames.ts";
import { guestCrashError } from "./pool/guest-crash-error.ts";
import { WasiFault } from "./wasi/errno.ts";
import type { GuestFiles } from "./wasi/guest-files.ts";

/** Throws if no guest of ours sends the message. */
export type AnswerMessage = (message: Frame) => Frame | Promise<Frame>;

export interface MessageTargets {
  readonly files: readonly GuestFiles[];
  /** JSON. */
  readonly hostCall: (method: string, request: Uint8Array) => Promise<string>;
}

export function createAnswers({ files, hostCall }: MessageTargets): AnswerMessage {
  return (message) => {
    if (message.head.op === "files") return answerFiles(files, message);
    return hostCall(`${message.head.method}`, message.body).then((reply) => ({
      head: {},
      body: Buffer.from(reply),
    }));
  };
}

function answerFiles(files: readonly GuestFiles[], { head, body }: Frame): Frame {
  const mount = files[Number(head.mount)];
  if (mount === undefined) throw guestCrashError("it named a mount that it does not have");
  try {
    const { value, body: bytes } = answerFileMessage(mount, head, body);
    return { head: { value }, body: bytes };
  } catch (error) {
    if (!(error instanceof WasiFault)) throw error;
    return { head: { errno: error.errno }, body: NO_BYTES };
  }
}
