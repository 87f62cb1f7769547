// A short tour through the real pipeline, on a copy of examples/hello.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openCell } from "../dist/index.js";

const home = mkdtempSync(path.join(tmpdir(), "hotcell-tour-"));
const workspace = path.join(home, "hello");
cpSync(new URL("../examples/hello", import.meta.url).pathname, workspace, { recursive: true });

const say = (text) => console.log(text);
const heading = (text) => say(`\n— ${text}`);

async function show(cell, name, args) {
  say(`  call     ${name} ${JSON.stringify(args)}`);
  const { success, output, error, meta } = await cell.call({ name, arguments: args });
  say(
    `  ${success ? "ok      " : "refused "} ${success ? brief(output) : `${error.code}: ${error.message}`}`,
  );
  say(`           ${meta.outcome}${meta.why ? ` (${meta.why})` : ""}, ${meta.durationMs} ms`);
}

const brief = (output) => JSON.stringify(output).slice(0, 160);

say("hotcell, a short tour: a model asks for tools, the cell runs them or says why not.");
const cell = await openCell({
  workspace,
  stateDir: path.join(home, "state"),
  rules: ["allow write_file(src/**)"],
});
try {
  heading("It reads a file of the project.");
  await show(cell, "read_file", { path: "src/greet.js" });
  heading("It writes one: a rule allows src/**.");
  await show(cell, "write_file", { path: "src/bye.js", content: "export const bye = () => 'Bye';\n" });
  heading("It tries to leave the project. Nothing is opened.");
  await show(cell, "read_file", { path: "../../../../etc/passwd" });
  heading("It tries to write outside what the rules allow; nobody is there to be asked.");
  await show(cell, "write_file", { path: "README.md", content: "mine now" });
  heading("It asks for the secrets.");
  await show(cell, "read_file", { path: ".env" });
  heading("What the log says: one intent before each effect, one outcome for each call, chained by hash.");
  for (const line of readFileSync(cell.logFile, "utf8").trim().split("\n"))
    say(`  ${summary(JSON.parse(line))}`);
} finally {
  await cell.close();
  rmSync(home, { recursive: true, force: true });
}

function summary({ seq, kind, toolName, outcome, why, output, prev, hash }) {
  const ended = [outcome, why, output?.error?.code].filter(Boolean).join(" ");
  const link = `${prev.slice(0, 8)}→${hash.slice(0, 8)}`;
  return `${String(seq).padStart(2)} ${kind.padEnd(11)} ${toolName.padEnd(10)} ${link} ${ended}`;
}
