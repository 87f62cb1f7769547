// A project and a command line on it, without a terminal unless the test brings one.
import fs from "node:fs";
import path from "node:path";
import type { Io } from "../../../src/doors/cli/io.ts";
import { runCli } from "../../../src/doors/cli/main.ts";
import { tempDir } from "./temp-cell.ts";

export interface CliWorld {
  readonly root: string;
  readonly stateDir: string;
  run(args: readonly string[], io?: Partial<Io>): Promise<Ran>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export function openCliWorld(files: Readonly<Record<string, string>> = {}): CliWorld {
  const top = tempDir();
  const root = path.join(top, "project");
  const stateDir = path.join(top, "state");
  fs.mkdirSync(root);
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
  return {
    root,
    stateDir,
    async run(args, more = {}) {
      const out: (string | Uint8Array)[] = [];
      let err = "";
      const io: Io = {
        env: { HOTCELL_STATE_DIR: stateDir, HOME: top },
        cwd: root,
        interactive: false,
        outIsTerminal: false,
        errIsTerminal: false,
        out: (text) => out.push(text) > 0,
        err: (text) => {
          err += text;
        },
        page: async (text) => void out.push(text),
        readStdin: async () => Buffer.alloc(0),
        askKey: async () => null,
        askLine: async () => null,
        ask: async () => "",
        ...more,
      };
      const code = await runCli(args, io);
      return { code, out: out.map((text) => Buffer.from(text).toString()).join(""), err };
    },
  };
}
