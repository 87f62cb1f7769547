// Sends results to the parent, with backpressure: a worker continues only while few of its results are unconsumed. So
// memory is bounded for any number of matches, and no worker searches far ahead when enough was found.
import type { Chunk, FileHits, Hit, Results } from "./messages.ts";

/** Approximately in characters. */
const MAX_UNTAKEN = 1024 * 1024;
const RESULTS_WEIGHT = 64;

export interface Outbox {
  begin(chunk: Pick<Chunk, "number" | "unreadable">): void;
  /** Begins the next file. */
  file(path: string): void;
  hit(hit: Hit): void;
  isBinary(): void;
  /** This many lines of the file were searched only in their beginning. */
  isPartlySearched(lines: number): void;
  isUnreadable(): void;
  end(): void;
}

export interface ParentPort {
  post(results: Results): void;
  /** The weight of all results that the parent consumed. */
  taken(): number;
  /** Waits for a message. */
  wait(): void;
  /** Whether the parent wants no more results. */
  stopped(): boolean;
}

interface Batch {
  readonly files: (FileHits & { readonly hits: Hit[] })[];
  weight: number;
}

export function createOutbox(parent: ParentPort, maxMatches: number): Outbox {
  const hitWeight = Math.ceil(MAX_UNTAKEN / (maxMatches + 1));
  let chunk = 0;
  let path = "";
  let counts = { files: 0, binary: 0, unreadable: 0, partlySearched: 0 };
  let batch = emptyBatch();
  let sent = 0;

  const untaken = (): number => sent - parent.taken();

  const send = (isLast: boolean): void => {
    sent += batch.weight;
    parent.post({ chunk, ...batch, counts: isLast ? { ...counts } : null });
    batch = emptyBatch();
    while (untaken() >= MAX_UNTAKEN && !parent.stopped()) parent.wait();
  };

  return {
    begin({ number, unreadable }) {
      chunk = number;
      counts = { files: 0, binary: 0, unreadable, partlySearched: 0 };
    },
    file(next) {
      path = next;
      counts.files++;
    },
    hit(hit) {
      const last = batch.files.at(-1);
      if (last?.path === path) last.hits.push(hit);
      else batch.files.push({ path, hits: [hit], counts: { ...counts } });
      batch.weight += hitWeight + charsOf(hit);
      if (batch.weight + untaken() >= MAX_UNTAKEN) send(false);
    },
    isBinary() {
      counts.binary++;
    },
    isPartlySearched(lines) {
      counts.partlySearched += lines;
    },
    isUnreadable() {
      counts.unreadable++;
    },
    end: () => send(true),
  };
}

const emptyBatch = (): Batch => ({ files: [], weight: RESULTS_WEIGHT });

function charsOf({ text, before, after }: Hit): number {
  let chars = text.length;
  for (const line of before) chars += line.length;
  for (const line of after) chars += line.length;
  return chars;
}
