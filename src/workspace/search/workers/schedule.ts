// Assigns the chunks of a walk to the workers, in order, with only the files that may be read.

import type { ReadJudge } from "../read-judge.ts";
import type { Ask, Part, WorkerReport } from "./messages.ts";
import { unpackRuns } from "./packed-walk.ts";

/** The maximum number of chunks assigned to a worker. A worker then has its next chunk even while the parent's event loop is busy. */
const MAX_ASSIGNED = 4;

export interface Scheduler {
  /** A worker is ready to search. `descriptors` is the path prefix of its open directories; only the walking worker's is used. */
  join(part: Part, descriptors: string): void;
  /** The next chunk of the walk. */
  add(ask: Ask, judgeIn: ReadJudge): void;
  /** A worker has finished a chunk. */
  end(part: Part, number: number): void;
  /** The walking worker is gone. */
  close(): void;
  /** Whether the other worker has no chunk of the walk. */
  isHelpOver(): boolean;
}

interface JudgedChunk {
  readonly number: number;
  readonly ask: Ask;
  /** Indexes of files that may not be read. */
  readonly refused: readonly number[];
}

export function createScheduler(send: (part: Part, message: WorkerReport) => void): Scheduler {
  const waiting: JudgedChunk[] = [];
  /** The number of assigned chunks of each worker that has joined. */
  const atWork = new Map<Part, number>();
  let descriptors = "";
  let number = 0;

  const assign = (part: Part, { number, ask, refused }: JudgedChunk): void => {
    const { dirs, files, unreadable } = ask;
    atWork.set(part, atWork.get(part)! + 1);
    if (part === 0) send(0, { kind: "scan", number, refused });
    else {
      send(1, { kind: "help", number, refused, dirs, files, unreadable, descriptors });
      send(0, { kind: "given", number });
    }
  };
  const assignWaiting = (): void => {
    while (waiting.length > 0) {
      const free = [...atWork].filter(([, count]) => count < MAX_ASSIGNED).sort(([, a], [, b]) => a - b);
      if (free.length === 0) return;
      assign(free[0]![0], waiting.shift()!);
    }
  };

  return {
    join(part, at) {
      atWork.set(part, 0);
      if (part === 0) descriptors = at;
      assignWaiting();
    },
    add(ask, judgeIn) {
      const refused = findRefused(ask, judgeIn);
      waiting.push({ number: number++, ask, refused });
      assignWaiting();
    },
    end(part, ended) {
      atWork.set(part, atWork.get(part)! - 1);
      if (part === 1) send(0, { kind: "helped", number: ended });
      assignWaiting();
    },
    close() {
      atWork.delete(0);
      waiting.length = 0;
    },
    isHelpOver: () => (atWork.get(1) ?? 0) === 0,
  };
}

function findRefused(ask: Ask, judgeIn: ReadJudge): number[] {
  const refused: number[] = [];
  let file = 0;
  for (const { path, names } of unpackRuns(ask)) {
    const mayRead = judgeIn(path);
    for (const name of names) {
      if (!mayRead(name)) refused.push(file);
      file++;
    }
  }
  return refused;
}
