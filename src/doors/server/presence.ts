// Whether somebody who could answer a question is connected: by a socket or an event stream, or asking for the questions
// now and then.

export interface Presence {
  /** Somebody is there until the returned function is called. */
  enter(): () => void;
  /** Somebody was there just now. */
  notice(): void;
  /** For how long nobody has been there, in milliseconds; 0 while somebody is. `since` is when the wait began. */
  absentMs(since: number): number;
}

export function createPresence(now: () => number = () => performance.now()): Presence {
  let inside = 0;
  let last = now();
  return {
    enter() {
      inside++;
      let isInside = true;
      return () => {
        if (!isInside) return;
        isInside = false;
        inside--;
        last = now();
      };
    },
    notice() {
      last = now();
    },
    absentMs: (since) => (inside > 0 ? 0 : now() - Math.max(last, since)),
  };
}
