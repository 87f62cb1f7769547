import { isatty } from "node:tty";
import type { StartedProcess } from "./start-process.ts";

/** Forwards Ctrl-C: the terminal's foreground process group never contains a sandbox. Returns a function that stops it. */
export function passInterrupts({ interrupt }: StartedProcess): () => void {
  if (!isatty(0)) return () => {};
  process.on("SIGINT", interrupt);
  return () => process.off("SIGINT", interrupt);
}
