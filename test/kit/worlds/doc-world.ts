// Runs the examples of a document: in a directory like a checkout with the built package, with a new state directory. It
// needs `npm run build`.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./document.ts";

export interface DocWorld {
  /** Compiles the programs with strict options, and returns a function that runs one by its index. */
  compile(programs: readonly string[]): (index: number) => string;
  /** Writes a file beside the examples. */
  save(name: string, text: string): void;
  /** The output and the exit status of each command, all run in one shell. */
  runShell(commands: readonly string[]): Ran[];
  remove(): void;
}

export interface Ran {
  readonly output: string;
  readonly status: number;
}

const END = "\u0001";

export function makeDocWorld(): DocWorld {
  if (!existsSync(path.join(ROOT, "dist/index.js")))
    throw new Error("hotcell is not built. Run: npm run build");
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), "hotcell-docs-")));
  const checkout = path.join(top, "checkout");
  mkdirSync(path.join(checkout, "node_modules"), { recursive: true });
  symlinkSync(ROOT, path.join(checkout, "node_modules/hotcell"));
  cpSync(path.join(ROOT, "examples"), path.join(checkout, "examples"), { recursive: true });
  cpSync(path.join(ROOT, "tools"), path.join(checkout, "tools"), { recursive: true });
  writeFileSync(path.join(checkout, "package.json"), '{ "type": "module" }');
  const state = path.join(top, "state");
  const env = { PATH: process.env.PATH, HOME: top, XDG_STATE_HOME: state, HOTCELL_STATE_DIR: state };
  const options = { cwd: checkout, env, encoding: "utf8" } as const;

  return {
    compile(programs) {
      for (const [index, text] of programs.entries()) writeFileSync(path.join(checkout, `${index}.ts`), text);
      writeFileSync(path.join(checkout, "tsconfig.json"), JSON.stringify(TSCONFIG));
      const { status, stdout } = spawnSync(process.execPath, [tscFile(), "-p", checkout], options);
      if (status !== 0) throw new Error(stdout);
      return (index) => execFileSync(process.execPath, [`${index}.js`], options);
    },
    save: (name, text) => writeFileSync(path.join(checkout, name), text),
    runShell(commands) {
      const steps = commands.map((command) => `${command}\nprintf '${END}%s${END}' "$?"`);
      const script = [SHELL_WORDS, ...steps].join("\n");
      const shell = {
        ...options,
        env: { ...env, NODE: process.execPath, BIN: path.join(ROOT, "bin/hotcell.js") },
      };
      const { stdout } = spawnSync("bash", ["--norc", "-c", `exec 2>&1\n${script}`], shell);
      const parts = stdout.split(END);
      return commands.map((_, index) => ({
        output: parts[2 * index] ?? "",
        status: Number(parts[2 * index + 1]),
      }));
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

const SHELL_WORDS = 'hotcell() { "$NODE" "$BIN" "$@"; }\nnpx() { "$@"; }';

const TSCONFIG = {
  extends: path.join(ROOT, "tsconfig.json"),
  compilerOptions: { noEmit: false, typeRoots: [path.join(ROOT, "node_modules/@types")] },
  include: ["*.ts"],
};

function tscFile(): string {
  const require = createRequire(import.meta.url);
  return path.join(path.dirname(require.resolve("typescript/package.json")), "bin/tsc");
}
