export interface CommitListeners {
  /** Called after each change on the disk, with its number. */
  readonly onStep?: (n: number) => void;
  readonly onProgress?: (done: number, total: number) => void;
}

interface Watched {
  readonly tick: () => void;
  readonly progress: (done: number, total: number) => void;
}

export function createListeners({ onStep, onProgress }: CommitListeners): Watched {
  let steps = 0;
  return {
    tick: () => onStep?.(++steps),
    progress: (done, total) => onProgress?.(done, total),
  };
}
