import type { Io } from "./io.ts";

export interface ProgressLine {
  report(done: number, total: number | null): void;
  /** Takes the line away. */
  end(): void;
}

/** Work that is over at once is not worth a line. */
const MIN_TOTAL = 100;
const ROUND = 1000;

/** One line in a terminal, written again when it says something else. */
export function createProgress(io: Io, work: string): ProgressLine {
  let shown = "";
  const show = (text: string): void => {
    if (text === shown || !io.errIsTerminal) return;
    io.err(`\r\u001b[K${text}`);
    shown = text;
  };
  return {
    report(done, total) {
      if (total === null) show(`${work}: ${done - (done % ROUND)} files`);
      else if (total >= MIN_TOTAL) show(`${work}: ${Math.floor((done / total) * 100)} %`);
    },
    end: () => show(""),
  };
}
