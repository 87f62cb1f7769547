import { constants } from "node:os";
import { HotcellError } from "../../core/errors.ts";

export interface Interruption {
  /** How many times Ctrl-C goes to another handler first. */
  readonly spared?: number;
  /** Whether the work changes the user's terminal. Then signals that would end the process at once call it off too. */
  readonly terminal?: boolean;
}

/** Work that Ctrl-C and SIGTERM call off. Once more and they end the process, and so they do once the work has said `end`. */
export async function interruptible<T>(
  action: string,
  work: (signal: AbortSignal, end: () => void) => Promise<T>,
  { spared = 0, terminal = false }: Interruption = {},
): Promise<T> {
  const interrupted = new AbortController();
  const signals = terminal ? [...SIGNALS, ...TERMINAL_SIGNALS] : SIGNALS;
  let left = spared;
  const interrupt = (by: NodeJS.Signals) => {
    if (by === "SIGINT" && left-- > 0) return;
    const isSecond = interrupted.signal.aborted;
    if (isSecond || !terminal) end();
    // Node aborts if it exits by itself when its terminal is gone.
    if (by === "SIGHUP") process.once("exit", () => process.kill(process.pid, by));
    // Only a process that exits by itself puts the user's terminal back.
    if (isSecond) process.exit(128 + constants.signals[by]);
    interrupted.abort(new HotcellError("CANCELLED", `Could not ${action}: it was interrupted.`, { by }));
  };
  const end = () => {
    for (const one of signals) process.off(one, interrupt);
  };
  for (const one of signals) process.on(one, interrupt);
  try {
    return await work(interrupted.signal, end);
  } finally {
    end();
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM"];
/** Not always: `nohup` makes a server ignore SIGHUP, and a handler would undo that. */
const TERMINAL_SIGNALS: readonly NodeJS.Signals[] = ["SIGHUP", "SIGQUIT"];
