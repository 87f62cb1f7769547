// Captures a command's output in bounded memory: the head and the tail of each stream. If the output is longer than
// that, an artifact file keeps the whole.
import type { ArtifactWriter } from "../../log/artifacts.ts";
import type { OutputStream } from "./command.ts";

export interface Captured {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** The id of the artifact with the whole output in its order of arrival; null if nothing was cut. */
  readonly artifact: string | null;
}

export interface Capture {
  add(stream: OutputStream, bytes: Buffer): void;
  /** The output so far. */
  peek(): Pick<Captured, "stdout" | "stderr" | "truncated">;
  end(): Captured;
}

export interface ShownOutput {
  /** Of each stream. */
  readonly bytes: number;
  /** The streams share these bytes, and are cut between lines. */
  readonly isShared?: boolean;
}

/** Keeps the shown part of the streams for the observation, and the whole output only if `openArtifact` is given. */
export function captureOutput(shown: ShownOutput, openArtifact: (() => ArtifactWriter) | null): Capture {
  const { bytes: shownBytes, isShared = false } = shown;
  const stdout = createEnds(shownBytes);
  const stderr = createEnds(shownBytes);
  const whole = openArtifact === null ? null : createSpool(2 * shownBytes, openArtifact);
  const peek = () => {
    const [forOut, forErr] = isShared
      ? share(shownBytes, stdout.seen(), stderr.seen())
      : [shownBytes, shownBytes];
    const ends = [stdout.text(forOut, isShared), stderr.text(forErr, isShared)] as const;
    const truncated = stdout.isCut(forOut) || stderr.isCut(forErr);
    return { stdout: ends[0], stderr: ends[1], truncated };
  };
  return {
    add(stream, bytes) {
      (stream === "stdout" ? stdout : stderr).add(bytes);
      whole?.add(bytes);
    },
    peek,
    end() {
      const ended = peek();
      return { ...ended, artifact: whole?.end(ended.truncated) ?? null };
    },
  };
}

/** Each stream gets what the other one leaves, and half if both want more. */
function share(bytes: number, out: number, err: number): readonly [number, number] {
  const half = Math.floor(bytes / 2);
  if (out <= half) return [half, bytes - out];
  if (err <= half) return [bytes - err, half];
  return [half, half];
}

/** The first and the last bytes of a stream. */
function createEnds(shownBytes: number) {
  const half = Math.floor(shownBytes / 2);
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  let seen = 0;
  const isCut = (limit: number) => seen > 2 * Math.floor(limit / 2);
  return {
    add(bytes: Buffer): void {
      seen += bytes.length;
      const toHead = bytes.subarray(0, half - head.length);
      if (toHead.length > 0) head = Buffer.concat([head, toHead]);
      const rest = bytes.subarray(toHead.length);
      if (rest.length >= half) tail = Buffer.from(rest.subarray(-half));
      else if (rest.length > 0)
        tail = Buffer.concat([tail.subarray(Math.max(0, tail.length + rest.length - half)), rest]);
    },
    seen: () => seen,
    isCut,
    /** At most `limit` bytes, and the mark of the cut. */
    text(limit: number, atLines: boolean): string {
      if (!isCut(limit)) return Buffer.concat([head, tail]).toString();
      const end = Math.floor(limit / 2);
      const last = tail.length < end ? Buffer.concat([head, tail]) : tail;
      const [before, after] = [head.subarray(0, end), last.subarray(last.length - end)];
      const [first, second] = atLines
        ? [wholeLinesBefore(before), wholeLinesAfter(after)]
        : [trimIncompleteEnd(before), trimIncompleteStart(after)];
      return `${first}\n[… ${seen - first.length - second.length} bytes cut …]\n${second}`;
    },
  };
}

/** Up to the last line break, without it; a part of a line if there is none. */
function wholeLinesBefore(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf("\n");
  return end < 0 ? trimIncompleteEnd(bytes) : bytes.subarray(0, end);
}

function wholeLinesAfter(bytes: Buffer): Buffer {
  const end = bytes.indexOf("\n");
  return end < 0 || end === bytes.length - 1 ? trimIncompleteStart(bytes) : bytes.subarray(end + 1);
}

/** Drops an incomplete UTF-8 character at the end. */
function trimIncompleteEnd(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}

function trimIncompleteStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Keeps small output in memory. If writing to the disk fails, the command continues, and only head and tail are kept. */
function createSpool(memoryBytes: number, openArtifact: () => ArtifactWriter) {
  const held: Buffer[] = [];
  let size = 0;
  let file: ArtifactWriter | null = null;
  let failure: unknown = null;

  const spill = (bytes: readonly Buffer[]): void => {
    if (failure !== null) return;
    try {
      file ??= openArtifact();
      for (const part of bytes) file.write(part);
    } catch (error) {
      failure = error;
      file?.abandon();
    }
  };
  return {
    add(bytes: Buffer): void {
      size += bytes.length;
      held.push(bytes);
      if (size > memoryBytes) spill(held.splice(0));
    },
    end(isWanted: boolean): string | null {
      if (isWanted) spill(held.splice(0));
      if (failure !== null || file === null) return null;
      if (isWanted) return file.finish();
      file.abandon();
      return null;
    },
  };
}
