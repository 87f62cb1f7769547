// Hands events from whoever produces them to one reader, in order.

export interface EventQueue<T> extends AsyncIterable<T> {
  push(event: T): void;
  /** No more events; the reader gets those that are left, then the error if there is one. */
  end(error?: unknown): void;
}

export function createEventQueue<T>(): EventQueue<T> {
  const waiting: T[] = [];
  let isEnded = false;
  let failure: unknown;
  let wake = () => {};
  const changed = () => {
    wake();
    wake = () => {};
  };
  return {
    push(event) {
      waiting.push(event);
      changed();
    },
    end(error) {
      isEnded = true;
      failure = error;
      changed();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift()!;
        if (isEnded) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (failure !== undefined) throw failure;
    },
  };
}
