// Work that comes faster than it is done, while what else comes shall not wait for all of it.

export interface WorkQueue<T> {
  add(item: T): void;
  /** Works on all that is left, at once. */
  finish(): void;
  /** Forgets what is left. */
  clear(): void;
}

/** Works on the items in their order, each in a turn of its own. */
export function inTurns<T>(work: (item: T) => void): WorkQueue<T> {
  let items: T[] = [];
  let isWaiting = false;

  const wait = (): void => {
    if (isWaiting || items.length === 0) return;
    isWaiting = true;
    setImmediate(takeTurn);
  };
  const workOnNext = (): void => work(items.shift()!);
  const takeTurn = (): void => {
    isWaiting = false;
    if (items.length > 0) workOnNext();
    wait();
  };

  return {
    add(item) {
      items.push(item);
      wait();
    },
    finish() {
      while (items.length > 0) workOnNext();
    },
    clear() {
      items = [];
    },
  };
}
