import { isatty } from "node:tty";
import type { StartedProcess } from "./start-process.ts";

/** Ctrl-C is told to whoever is in front of the terminal, which is never a command in its enclosure. Ends what it gives. */
export function passInterrupts({ interrupt }: StartedProcess): () => void {
  if (!isatty(0)) return () => {};
  process.on("SIGINT", interrupt);
  return () => process.off("SIGINT", interrupt);
}
