// Writes docs/session.svg: the first console block of the README, run in a terminal on a copy of the example.
// Ids and the path of the copy are replaced, so the same session gives the same picture. With --print it prints the picture.
// With the name of a page, such as docs/run-codex.md, it records the first block of that page with commands, as
// docs/run-codex.svg. The programs in it have to be on the PATH.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SESSION_ID = /\b[0-9a-z]{8}-[0-9a-f]{8}\b/g;
const END = "\u0001";
const SHELL_WORDS = 'hotcell() { "$NODE" "$BIN" "$@"; }\nnpx() { "$@"; }';
const FONT = { size: 14, width: 8.43, line: 20 };
const MARGIN = { side: 20, top: 52, bottom: 16 };
/** CSS classes of the picture, by the numbers of the terminal's styles. */
const CLASSES = { 1: "bold", 31: "red", 32: "green", 36: "cyan" };

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

const prompt = (command) => [
  { text: "$ ", style: "green" },
  { text: command, style: "bold" },
];

/** A line as a terminal shows it: pieces of text, each in one style. */
function spansOf(line) {
  const [first, ...rest] = line.split("\u001b[");
  const styled = rest.map((piece) => {
    const [, number, text] = /^(\d*)m(.*)$/s.exec(piece);
    return { text, style: CLASSES[number] };
  });
  return [{ text: first }, ...styled].filter(({ text }) => text !== "");
}

function draw(lines) {
  const columns = Math.max(...lines.map((spans) => lengthOf(spans)));
  const width = Math.ceil(columns * FONT.width) + 2 * MARGIN.side;
  const height = MARGIN.top + lines.length * FONT.line + MARGIN.bottom;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${page === undefined ? "A session in the terminal: two commands, the diff, a rewind and a commit" : `A terminal: ${escapeXml(commands[0])}`}</title>
<style>
text { font: ${FONT.size}px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d4d7dd; white-space: pre }
.bold { font-weight: bold; fill: #ffffff } .red { fill: #ff7b72 } .green { fill: #7ee787 } .cyan { fill: #76d9e6 }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#161b22"/>
<circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${lines.map(drawLine).join("\n")}
</svg>
`;
}

function drawLine(spans, index) {
  const y = MARGIN.top + (index + 0.5) * FONT.line;
  const length = (lengthOf(spans) * FONT.width).toFixed(2);
  const pieces = spans.map(({ text, style }) =>
    style === undefined ? escapeXml(text) : `<tspan class="${style}">${escapeXml(text)}</tspan>`,
  );
  return `<text x="${MARGIN.side}" y="${y}" textLength="${length}" xml:space="preserve">${pieces.join("")}</text>`;
}

const lengthOf = (spans) => spans.reduce((sum, { text }) => sum + text.length, 0);
const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const outputs = record(commands);
const lines = commands.flatMap((command, index) => [prompt(command), ...outputs[index].map(spansOf)]);
const picture = draw(lines);
if (process.argv.includes("--print")) process.stdout.write(picture);
else writeFileSync(path.join(ROOT, page?.replace(/md$/, "svg") ?? "docs/session.svg"), picture);
