// Draws docs/chat.svg from the screen of a chat, which is on standard input as JSON. The test of the chat records it.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { drawTerminal, prompt } from "./draw-terminal.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SESSION_ID = /\b[0-9a-z]{8}-[0-9a-f]{8}\b/g;
const RUN_ID = /\brun_[0-9a-f]{32}\b/g;

const { project, command, screen } = JSON.parse(readFileSync(0, "utf8"));
const [, ...shown] = `${screen.trimEnd()}\u001b[0m`
  .replaceAll(project, "~/fix-test")
  .replaceAll(SESSION_ID, "m3k9v2qa-5bbe6576")
  .replaceAll(RUN_ID, "run_5d0c7f1e")
  .split("\n");
const title = `A terminal: ${command}, with its text, calls, a question with a diff, and the status line`;
writeFileSync(path.join(ROOT, "docs/chat.svg"), drawTerminal([prompt(command), ...shown], title));
