// Deals the chunks of a walk to those who search, in their order, with only those files that may be read.

import type { ReadJudge } from "../read-judge.ts";
import type { Ask, Part, WorkerReport } from "./messages.ts";
import { unpackRuns } from "./packed-walk.ts";

/** So many at most has one at the same time: it finds the next when it is through with one, also while the asking process waits for its turn. */
const MAX_DEALT = 4;

export interface Dealer {
  /** Somebody is ready to search. The walking one names its open directories so. */
  join(part: Part, descriptors: string): void;
  /** The next chunk of the walk. */
  add(ask: Ask, judgeIn: ReadJudge): void;
  /** Somebody is through with a chunk. */
  end(part: Part, number: number): void;
  /** The walking one is gone. */
  close(): void;
  /** Whether the other one has nothing of its. */
  isHelpOver(): boolean;
}

interface JudgedChunk {
  readonly number: number;
  readonly ask: Ask;
  /** Places of files that may not be read. */
  readonly refused: readonly number[];
}

export function createDealer(tell: (part: Part, told: WorkerReport) => void): Dealer {
  const waiting: JudgedChunk[] = [];
  /** How many each has; nobody who has not joined. */
  const atWork = new Map<Part, number>();
  let descriptors = "";
  let number = 0;

  const give = (part: Part, { number, ask, refused }: JudgedChunk): void => {
    const { dirs, files, unreadable } = ask;
    atWork.set(part, atWork.get(part)! + 1);
    if (part === 0) tell(0, { kind: "scan", number, refused });
    else {
      tell(1, { kind: "help", number, refused, dirs, files, unreadable, descriptors });
      tell(0, { kind: "given", number });
    }
  };
  const deal = (): void => {
    while (waiting.length > 0) {
      const free = [...atWork].filter(([, count]) => count < MAX_DEALT).sort(([, a], [, b]) => a - b);
      if (free.length === 0) return;
      give(free[0]![0], waiting.shift()!);
    }
  };

  return {
    join(part, at) {
      atWork.set(part, 0);
      if (part === 0) descriptors = at;
      deal();
    },
    add(ask, judgeIn) {
      const refused = refusedOf(ask, judgeIn);
      waiting.push({ number: number++, ask, refused });
      deal();
    },
    end(part, ended) {
      atWork.set(part, atWork.get(part)! - 1);
      if (part === 1) tell(0, { kind: "helped", number: ended });
      deal();
    },
    close() {
      atWork.delete(0);
      waiting.length = 0;
    },
    isHelpOver: () => (atWork.get(1) ?? 0) === 0,
  };
}

function refusedOf(ask: Ask, judgeIn: ReadJudge): number[] {
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
