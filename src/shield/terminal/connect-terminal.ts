// Connects the terminal of a sandbox with the user's. Bytes pass both ways through this process, so that nothing in the
// sandbox has the user's terminal open.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import type { Readable, Writable } from "node:stream";
import { HELPER_ENVIRONMENT } from "../../workspace/fs/helper-environment.ts";
import { RESET_TERMINAL, SAVE_TERMINAL, STATUS_ANSWER, STATUS_QUESTION } from "./reset-terminal.ts";
import type { TerminalSize } from "./terminal-line.ts";

export interface SandboxTerminal {
  readonly input: Writable;
  readonly output: Readable;
  /** Errors of the programs that make the terminal. */
  readonly errors: Readable;
  resize(size: TerminalSize): void;
}

/** The size of this process's terminal. */
export function ownTerminalSize(): TerminalSize {
  const { rows, columns } = process.stdout;
  return { rows: rows || 24, columns: columns || 80 };
}

/** Returns what restores the user's terminal, after the program and all its output have ended. */
export function connectTerminal(inside: SandboxTerminal): () => Promise<void> {
  const { stdin, stdout } = process;
  const forward = (bytes: Buffer) => {
    if (inside.input.write(bytes)) return;
    stdin.pause();
    inside.input.once("drain", () => stdin.resume());
  };
  const resize = () => inside.resize(ownTerminalSize());
  // When this process exits for any other reason. Node would restore the mode of the terminal later; then SIGHUP may have
  // ended the process.
  const reset = () => {
    try {
      fs.writeSync(stdout.fd, RESET_TERMINAL);
      stdin.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  };
  // When its window is closed, each use of the terminal fails, and a failed pipe stops. The signal that comes then ends the
  // program, whose output has to be read until then.
  const drop = () => {
    inside.output.resume();
    inside.errors.resume();
  };
  for (const stream of [stdin, stdout, process.stderr]) stream.on("error", drop);
  stdout.write(SAVE_TERMINAL);
  stdin.setRawMode(true);
  // Node's raw mode still adds a carriage return to each line feed, by which full-screen programs move the cursor down.
  spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"], env: HELPER_ENVIRONMENT });
  stdin.on("data", forward).resume();
  stdout.on("resize", resize);
  process.once("exit", reset);
  inside.output.pipe(stdout, { end: false });
  inside.errors.pipe(process.stderr, { end: false });
  return async () => {
    stdin.off("data", forward);
    stdout.off("resize", resize);
    process.off("exit", reset);
    stdout.write(RESET_TERMINAL);
    await discardAnswers(stdin, stdout);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

/** A terminal that does not answer at all gets this time. */
const ANSWER_MS = 500;
const QUIET_MS = 50;
const LONGEST_MS = 5000;

/**
 * The terminal may still owe answers to questions of the program. They would become input of the user's shell. Our own
 * question is answered last; a program may have asked the same, so the input also has to be quiet.
 */
async function discardAnswers(stdin: Readable, stdout: Writable): Promise<void> {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const longest = setTimeout(end, LONGEST_MS);
  let quiet = setTimeout(end, ANSWER_MS);
  let last = "";
  const discard = (bytes: Buffer) => {
    last = (last + bytes.toString("latin1")).slice(-STATUS_ANSWER.length);
    clearTimeout(quiet);
    quiet = setTimeout(end, last === STATUS_ANSWER ? QUIET_MS : ANSWER_MS);
  };
  stdin.on("data", discard);
  stdout.write(STATUS_QUESTION);
  await ended;
  stdin.off("data", discard);
  clearTimeout(longest);
  clearTimeout(quiet);
}
