// Results on their way to whoever asked. A search goes on only while not too much of its own waits there: so memory is
// bounded however much matches, and nobody searches far ahead when enough was found.
import type { Chunk, FileHits, Hit, Results } from "./messages.ts";

/** In characters, about. */
const MAX_UNTAKEN = 1024 * 1024;
const RESULTS_WEIGHT = 64;

export interface Outbox {
  begin(chunk: Pick<Chunk, "number" | "unreadable">): void;
  /** The next file is this one. */
  file(path: string): void;
  hit(hit: Hit): void;
  isBinary(): void;
  /** Of so many of its lines only the beginning was searched. */
  isPartlySearched(lines: number): void;
  isUnreadable(): void;
  end(): void;
}

export interface Asker {
  post(results: Results): void;
  /** The weight of all results that were used up. */
  taken(): number;
  /** Waits until something was told. */
  wait(): void;
  /** Whether nothing more is wanted. */
  stopped(): boolean;
}

interface Gathered {
  readonly files: (FileHits & { readonly hits: Hit[] })[];
  weight: number;
}

export function createOutbox(asker: Asker, maxMatches: number): Outbox {
  const hitWeight = Math.ceil(MAX_UNTAKEN / (maxMatches + 1));
  let chunk = 0;
  let path = "";
  let counts = { files: 0, binary: 0, unreadable: 0, partlySearched: 0 };
  let gathered = nothing();
  let sent = 0;

  const untaken = (): number => sent - asker.taken();

  const send = (isLast: boolean): void => {
    sent += gathered.weight;
    asker.post({ chunk, ...gathered, counts: isLast ? { ...counts } : null });
    gathered = nothing();
    while (untaken() >= MAX_UNTAKEN && !asker.stopped()) asker.wait();
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
      const last = gathered.files.at(-1);
      if (last?.path === path) last.hits.push(hit);
      else gathered.files.push({ path, hits: [hit], counts: { ...counts } });
      gathered.weight += hitWeight + charsOf(hit);
      if (gathered.weight + untaken() >= MAX_UNTAKEN) send(false);
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

const nothing = (): Gathered => ({ files: [], weight: RESULTS_WEIGHT });

function charsOf({ text, before, after }: Hit): number {
  let chars = text.length;
  for (const line of before) chars += line.length;
  for (const line of after) chars += line.length;
  return chars;
}
