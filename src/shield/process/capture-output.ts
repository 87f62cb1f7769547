// What a command writes out, in bounded memory: the head and the tail of each stream, and the whole in a file
// once it is more than is shown.
import type { ArtifactWriter } from "../../log/artifacts.ts";
import type { OutputStream } from "./command.ts";

export interface Captured {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  /** Of the whole, in the order in which it came; null when nothing was cut. */
  readonly artifact: string | null;
}

export interface Capture {
  add(stream: OutputStream, bytes: Buffer): void;
  /** What would be shown now. */
  look(): Pick<Captured, "stdout" | "stderr" | "truncated">;
  end(): Captured;
}

/** `shownBytes` of each stream are kept for the observation; the whole only where there is an artifact for it. */
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
      const [before, after] = [withoutTornEnd(head), withoutTornStart(tail)];
      const lost = cut + head.length + tail.length - before.length - after.length;
      return `${before}\n[… ${lost} bytes cut …]\n${after}`;
    },
  };
}

/** A character that the cut went through is no character: as long as what is before it is one, it is left out. */
function withoutTornEnd(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > bytes.length ? bytes.subarray(0, start) : bytes;
}

function withoutTornStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** In memory while it is small. When the disk takes no more, the command goes on, and only its ends are known. */
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
