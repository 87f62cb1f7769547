// The chunks of a walk with only those files that may be read. The asking thread alone can judge that; the walk goes on
// while it does, so that nobody waits long.
import {
  type Ask,
  MAX_ASKED,
  MAX_CHUNK_FILES,
  type Run,
  type SearchOrder,
  SHARED,
  VERDICT_WORDS,
} from "./messages.ts";
import type { ReadJudge } from "./read-judge.ts";
import type { WalkedChunk } from "./walk-chunk.ts";
import type { FileWalk } from "./walk-files.ts";

/** Few at first, so that the first results come at once. */
const FIRST_CHUNK_FILES = 4;
const WAIT_MS = 1000;

/** Until the end of the walk, or until nothing more is wanted. Whoever takes a chunk closes it. */
export function* judgedWalk(
  walk: FileWalk,
  { search, shared }: Pick<SearchOrder, "search" | "shared">,
  post: (ask: Ask) => void,
): Generator<WalkedChunk> {
  const asked: WalkedChunk[] = [];
  let number = 0;
  const isStopped = () => Atomics.load(shared, SHARED.stop) === 1;
  const judged = () => Atomics.load(shared, SHARED.judged);
  const nextJudged = (): WalkedChunk => {
    const chunk = asked.shift()!;
    return { ...chunk, runs: readable(chunk.runs, shared, number++) };
  };
  try {
    for (let files = FIRST_CHUNK_FILES; ; files = Math.min(2 * files, MAX_CHUNK_FILES)) {
      const chunk = walk.next(files, isStopped);
      if (chunk !== null) {
        asked.push(chunk);
        post({ kind: "ask", search, files: chunk.runs.map(asText).join("") });
      }
      const most = chunk === null ? 0 : MAX_ASKED - 1;
      while (!isStopped() && (judged() > number || asked.length > most)) {
        if (judged() > number) yield nextJudged();
        else Atomics.wait(shared, SHARED.judged, number, WAIT_MS);
      }
      if (chunk === null || isStopped()) return;
    }
  } finally {
    for (const chunk of asked) chunk.close();
  }
}

function readable(runs: readonly Run[], shared: Int32Array, chunk: number): readonly Run[] {
  let file = 0;
  const mayRead = () => isSet(shared, chunk, file++);
  return runs.map((run) => ({ ...run, names: run.names.filter(mayRead) }));
}

const asText = ({ path, names }: Run): string => `${path}\0${names.join("/")}\0`;

/** The asking thread's side. */
export function answer({ files }: Ask, shared: Int32Array, judgeIn: ReadJudge): void {
  const chunk = Atomics.load(shared, SHARED.judged);
  shared.fill(0, placeOf(chunk, 0), placeOf(chunk, 0) + VERDICT_WORDS);
  const texts = files.split("\0");
  let file = 0;
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const mayRead = judgeIn(texts[at]!);
    for (const name of texts[at + 1]!.split("/")) {
      if (mayRead(name)) Atomics.or(shared, placeOf(chunk, file), 1 << (file & 31));
      file++;
    }
  }
  Atomics.store(shared, SHARED.judged, chunk + 1);
  Atomics.notify(shared, SHARED.judged);
}

function isSet(shared: Int32Array, chunk: number, file: number): boolean {
  return ((Atomics.load(shared, placeOf(chunk, file)) >>> (file & 31)) & 1) === 1;
}

function placeOf(chunk: number, file: number): number {
  return SHARED.verdicts + (chunk % MAX_ASKED) * VERDICT_WORDS + (file >>> 5);
}
