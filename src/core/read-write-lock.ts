// A read-write lock within this process: read-only calls run in parallel; everything that changes the session runs
// alone, in order of request.

export interface ReadWriteLock {
  alone<T>(work: () => Promise<T>): Promise<T>;
  together<T>(work: () => Promise<T>): Promise<T>;
}

export function createReadWriteLock(): ReadWriteLock {
  let last: Promise<unknown> = Promise.resolve();
  const sideBySide = new Set<Promise<unknown>>();
  return {
    alone<T>(work: () => Promise<T>) {
      const turn = Promise.allSettled([last, ...sideBySide]).then(work);
      last = turn;
      return turn;
    },
    together<T>(work: () => Promise<T>) {
      const turn = Promise.allSettled([last]).then(work);
      sideBySide.add(turn);
      const leave = () => sideBySide.delete(turn);
      turn.then(leave, leave);
      return turn;
    },
  };
}
