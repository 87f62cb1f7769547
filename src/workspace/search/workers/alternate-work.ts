// A work queue that yields to the event loop between items, so that other events need not wait for all of them.

export interface WorkQueue<T> {
  add(item: T): void;
  /** Processes all remaining items now. */
  finish(): void;
  /** Drops the remaining items. */
  clear(): void;
}

/** Processes the items in order, each in its own turn of the event loop. */
export function alternateWork<T>(work: (item: T) => void): WorkQueue<T> {
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
