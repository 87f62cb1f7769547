import { HotcellError } from "../../core/errors.ts";

/** Work that Ctrl-C and SIGTERM call off. A second time they end the process, and so they do once the work has said `end`. */
export async function interruptible<T>(
  action: string,
  work: (signal: AbortSignal, end: () => void) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () =>
    interrupted.abort(new HotcellError("CANCELLED", `Could not ${action}: it was interrupted.`));
  const end = () => {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  };
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    return await work(interrupted.signal, end);
  } finally {
    end();
  }
}
