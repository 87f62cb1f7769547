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
  look(): Pick<Captured, "stdout" | "stderr" | "truncated">;
  end(): Captured;
}

/** Keeps `shownBytes` of each stream for the observation, and the whole output only if `openArtifact` is given. */
export function captureOutput(shownBytes: number, openArtifact: (() => ArtifactWriter) | null): Capture {
  const streams = { stdout: createEnds(shownBytes), stderr: createEnds(shownBytes) };
  const whole = openArtifact === null ? null : createSpool(2 * shownBytes, openArtifact);
  const look = () => {
    const truncated = streams.stdout.isCut() || streams.stderr.isCut();
    return { stdout: streams.stdout.text(), stderr: streams.stderr.text(), truncated };
  };
  return {
    add(stream, bytes) {
      streams[stream].add(bytes);
      whole?.add(bytes);
    },
    look,
    end() {
      const shown = look();
      return { ...shown, artifact: whole?.end(shown.truncated) ?? null };
    },
  };
}

/** The first and the last bytes of a stream. */
function createEnds(shownBytes: number) {
  const half = Math.floor(shownBytes / 2);
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  let seen = 0;
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
    isCut: () => seen > head.length + tail.length,
    text(): string {
      const cut = seen - head.length - tail.length;
      if (cut === 0) return Buffer.concat([head, tail]).toString();
      const [before, after] = [trimIncompleteEnd(head), trimIncompleteStart(tail)];
      const lost = cut + head.length + tail.length - before.length - after.length;
      return `${before}\n[… ${lost} bytes cut …]\n${after}`;
    },
  };
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
