// Writes docs/session.svg: the first console block of the README, run in a terminal on a copy of the example.
// Ids and the path of the copy are replaced, so the same session gives the same picture. With --print it prints the picture.
// With the name of a page, such as docs/run-claude.md, it records the first block of that page with commands, as
// docs/run-claude.svg. The programs in it have to be on the PATH.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { drawTerminal, prompt } from "./draw-terminal.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SESSION_ID = /\b[0-9a-z]{8}-[0-9a-f]{8}\b/g;
const END = "\u0001";
const SHELL_WORDS = 'hotcell() { "$NODE" "$BIN" "$@"; }\nnpx() { "$@"; }';

const page = process.argv.slice(2).find((word) => !word.startsWith("--"));
const text = readFileSync(path.join(ROOT, page ?? "README.md"), "utf8");
const block = /```(?:console|text)\n(\$ .*?)```/s.exec(text)[1];
const commands = [...block.matchAll(/^\$ (.*)$/gm)].map(([, command]) => command);

/** The lines that each command prints in a terminal. */
function record(commands) {
  const top = realpathSync(mkdtempSync(path.join(tmpdir(), "hotcell-record-")));
  const checkout = path.join(top, "hotcell");
  mkdirSync(checkout);
  cpSync(path.join(ROOT, "examples"), path.join(checkout, "examples"), { recursive: true });
  const steps = commands.map((command) => `${command}\nprintf '${END}'`);
  writeFileSync(path.join(top, "steps.sh"), [SHELL_WORDS, ...steps].join("\n"));
  const env = {
    ...{ PATH: process.env.PATH, HOME: top, TERM: "xterm-256color", PAGER: "cat" },
    ...{ HOTCELL_STATE_DIR: path.join(top, "state"), NODE: process.execPath },
    BIN: path.join(ROOT, "bin/hotcell.js"),
  };
  const inTerminal = ["-qec", `bash --norc ${path.join(top, "steps.sh")}`, "/dev/null"];
  const { stdout } = spawnSync("script", inTerminal, { cwd: checkout, env, encoding: "utf8", input: "" });
  rmSync(top, { recursive: true });
  const text = stdout
    .replaceAll("\r\n", "\n")
    .replaceAll(top, "~")
    .replaceAll(SESSION_ID, "m3k9v2qa-5bbe6576");
  return text
    .split(END)
    .slice(0, -1)
    .map((output) => output.split("\n").slice(0, -1));
}

const outputs = record(commands);
const lines = commands.flatMap((command, index) => [prompt(command), ...outputs[index]]);
const title =
  page === undefined
    ? "A session in the terminal: two commands, the diff, a rewind and a commit"
    : `A terminal: ${commands[0]}`;
const picture = drawTerminal(lines, title);
if (process.argv.includes("--print")) process.stdout.write(picture);
else writeFileSync(path.join(ROOT, page?.replace(/md$/, "svg") ?? "docs/session.svg"), picture);
