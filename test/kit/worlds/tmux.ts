// A terminal with a screen, by tmux: types and presses keys as a person would, and reads what the person would see.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";

export interface TmuxOptions {
  readonly cwd: string;
  /** A directory for the socket of tmux. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface TmuxTerminal {
  type(text: string): void;
  /** Types a text, then Enter. */
  enter(text: string): void;
  /** Presses keys by tmux's names, such as "C-c". */
  press(...keys: readonly string[]): void;
  resize(columns: number, rows: number): void;
  /** Waits until the screen shows a text, and returns the screen. */
  see(text: string | RegExp): Promise<string>;
  /** Presses a key until the screen shows a text, once in two seconds: programs may take a quick Enter for pasted text. */
  pressUntil(key: string, text: string): Promise<void>;
  /** The screen with its colours, as escapes, and each line whole. */
  capture(): string;
  /** What tmux knows of the terminal, by the name of a format such as "pane_title". */
  read(format: string): string;
  /** What programs have written to the clipboard. */
  clipboard(): string;
}

const SEE_MS = 60_000;

/** Opens bash in a terminal of 100 columns and 40 rows. Its prompt is "$ ". */
export function openTmux({ cwd, dir, env }: TmuxOptions): TmuxTerminal {
  const socket = path.join(dir, "tmux");
  const tmux = (...args: string[]) => execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8" });
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // Several words are run directly; one would go through the user's login shell, and nobody's is nologin.
  const bash = ["env", ...variables, "PS1=$ ", "bash", "--norc"];
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "40", "-c", cwd, ...bash);
  onTestFinished(() => void tmux("kill-server"));
  tmux("set-option", "-s", "set-clipboard", "on");
  // tmux takes a semicolon at the end for the end of its own command.
  const type = (text: string) => void tmux("send-keys", "-l", text.replace(/;$/, "\\;"));
  const look = () => tmux("capture-pane", "-p", "-J");
  const see = async (text: string | RegExp, forMs = SEE_MS) => {
    for (const deadline = Date.now() + forMs; ; await setTimeout(50)) {
      const shown = look();
      if (typeof text === "string" ? shown.includes(text) : text.test(shown)) return shown;
      if (Date.now() > deadline) throw new Error(`The screen does not show ${text}:\n${shown}`);
    }
  };
  return {
    type,
    enter: (text) => {
      type(text);
      tmux("send-keys", "Enter");
    },
    press: (...keys) => void tmux("send-keys", ...keys),
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    see: (text) => see(text),
    async pressUntil(key, text) {
      for (let left = 30; left > 0; left -= 1) {
        tmux("send-keys", key);
        const shown = await see(text, 2000).catch(() => null);
        if (shown !== null) return;
      }
      throw new Error(`The screen does not show ${text} after ${key}:\n${look()}`);
    },
    capture: () => tmux("capture-pane", "-p", "-e", "-J"),
    read: (format) => tmux("display-message", "-p", `#{${format}}`).trimEnd(),
    clipboard: () => tmux("list-buffers", "-F", "#{buffer_sample}").trimEnd(),
  };
}
