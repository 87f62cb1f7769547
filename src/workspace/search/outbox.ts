// Results on their way to the thread that asked. A worker goes on only while not too much of its own waits there:
// so memory is bounded however much matches, and nobody searches far ahead when enough was found.
import type { Chunk, FileHits, Hit, Part } from "./messages.ts";
import { SHARED } from "./messages.ts";

/** In characters, about. */
const MAX_UNTAKEN = 1024 * 1024;
const PART_WEIGHT = 64;
const ENTERED_WEIGHT = 64;
/** Nobody forgets to wake a waiting worker; but it looks by itself too. */
const WAIT_MS = 1000;

export interface Outbox {
  begin(chunk: Pick<Chunk, "number" | "entered" | "unreadable">): void;
  /** The next file is this one. */
  file(path: string): void;
  hit(hit: Hit): void;
  isBinary(): void;
  isUnreadable(): void;
  end(): void;
}

interface OutboxOptions {
  readonly search: number;
  readonly worker: 0 | 1;
  readonly shared: Int32Array;
  readonly maxMatches: number;
  readonly post: (part: Part) => void;
}

interface MutablePart {
  readonly files: (FileHits & { readonly hits: Hit[] })[];
  readonly entered: Chunk["entered"];
  weight: number;
}

export function createOutbox({ search, worker, shared, maxMatches, post }: OutboxOptions): Outbox {
  const taken = SHARED.taken[worker];
  const hitWeight = Math.ceil(MAX_UNTAKEN / (maxMatches + 1));
  let chunk = 0;
  let path = "";
  let counts = { files: 0, binary: 0, unreadable: 0 };
  let part = emptyPart();
  let sent = 0;

  const untaken = (): number => (sent - Atomics.load(shared, taken)) | 0;

  const send = (isLast: boolean): void => {
    sent = (sent + part.weight) | 0;
    post({ kind: "part", search, worker, chunk, ...part, counts: isLast ? { ...counts } : null });
    part = emptyPart();
    for (;;) {
      const seen = Atomics.load(shared, taken);
      if (untaken() < MAX_UNTAKEN || Atomics.load(shared, SHARED.stop) === 1) return;
      Atomics.wait(shared, taken, seen, WAIT_MS);
    }
  };

  return {
    begin({ number, entered, unreadable }) {
      chunk = number;
      counts = { files: 0, binary: 0, unreadable };
      part = emptyPart(entered);
    },
    file(next) {
      path = next;
      counts.files++;
    },
    hit(hit) {
      const last = part.files.at(-1);
      if (last?.path === path) last.hits.push(hit);
      else part.files.push({ path, hits: [hit], counts: { ...counts } });
      part.weight += hitWeight + charsOf(hit);
      if (part.weight + untaken() >= MAX_UNTAKEN) send(false);
    },
    isBinary() {
      counts.binary++;
    },
    isUnreadable() {
      counts.unreadable++;
    },
    end: () => send(true),
  };
}

function emptyPart(entered: Chunk["entered"] = []): MutablePart {
  return { files: [], entered, weight: PART_WEIGHT + ENTERED_WEIGHT * entered.length };
}

function charsOf({ text, before, after }: Hit): number {
  const lines = [text, ...before, ...after];
  return lines.reduce((sum, { length }) => sum + length, 0);
}
