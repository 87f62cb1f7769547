import { HotcellError } from "../../core/errors.ts";

/** Work that Ctrl-C and SIGTERM call off. Once more and they end the process, and so they do once the work has said `end`. */
export async function interruptible<T>(
  action: string,
  work: (signal: AbortSignal, end: () => void) => Promise<T>,
  /** How many times Ctrl-C goes to another handler first. */
  spared = 0,
): Promise<T> {
  const interrupted = new AbortController();
  let left = spared;
  const interrupt = (by: NodeJS.Signals) => {
    if (by === "SIGINT" && left-- > 0) return;
    end();
    interrupted.abort(new HotcellError("CANCELLED", `Could not ${action}: it was interrupted.`, { by }));
  };
  const end = () => {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  try {
    return await work(interrupted.signal, end);
  } finally {
    end();
  }
}
