// Draws docs/run-NAME.svg from screens of a run, which are on standard input as JSON. The client tests record them.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { drawTerminal, prompt } from "./draw-terminal.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SESSION_ID = /\b[0-9a-z]{8}-[0-9a-f]{8}\b/g;

const [name] = process.argv.slice(2);
const { project, screens } = JSON.parse(readFileSync(0, "utf8"));
const [agent, end] = screens.map((screen) => `${screen.trimEnd()}\u001b[0m`.split("\n"));
const summary = end
  .slice(end.findIndex((line) => line.includes(`hotcell: ${name} ended`)))
  // It depends on the machine which package registry the agent asks for a newer version.
  .filter((line) => !line.includes("hotcell: refused registry."));
const columns = Math.max(...agent.map(widthOf));
const lines = [prompt(`hotcell run ${name}`), ...agent.map(fill), ...summary]
  // As wide as before, because of frames.
  .map((line) => line.replaceAll(project, "~/project".padEnd(project.length)))
  .map((line) => line.replaceAll(SESSION_ID, "m3k9v2qa-5bbe6576"));
const title = `A terminal: hotcell run ${name}, with the screen of ${name}, the summary and the question at the end`;
writeFileSync(path.join(ROOT, `docs/run-${name}.svg`), drawTerminal(lines, title));

/** tmux leaves out cells that were only cleared with a colour. */
function fill(line) {
  return line.endsWith(" ") ? line + " ".repeat(columns - widthOf(line)) : line;
}

function widthOf(line) {
  return [...line.replaceAll(/\u001b\[[\d;:]*m/g, "")].length;
}
