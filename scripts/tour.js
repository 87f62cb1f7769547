// A short tour through the real pipeline, on a copy of examples/hello.
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "../dist/doors/cli/main.js";
import { openCell } from "../dist/index.js";

const SHOWN_CHARS = 100;
const say = (text = "") => console.log(text);

const home = mkdtempSync(path.join(tmpdir(), "hotcell-tour-"));
const workspace = path.join(home, "hello");
const stateDir = path.join(home, "state");
try {
  cpSync(fileURLToPath(new URL("../examples/hello", import.meta.url)), workspace, { recursive: true });
  await tour();
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function tour() {
  say("A language model asks for tools; hotcell runs them or says why not. Here is what happens then.");
  say("The calls below are written by hand, no model is needed. They work in a session on a copy of");
  say("examples/hello: whatever they change, the project stays as it is until a person takes it.");
  const cell = await openCell({ workspace, stateDir });
  const step = async (title, name, args) => {
    say(`\n${title}`);
    say(`  call     ${name} ${JSON.stringify(args)}`);
    tell(await cell.call({ name, arguments: args }));
  };
  try {
    await step("1. It reads a file.", "read_file", { path: "src/greet.js" });
    const content = "export const bye = () => 'Bye';\n";
    await step("2. It writes a file. Nobody is asked: it is in the session only.", "write_file", {
      path: "src/bye.js",
      content,
    });
    await step("3. It overwrites another one, which it should not have done.", "write_file", {
      path: "README.md",
      content: "mine now\n",
    });
    await step("4. It searches, and finds what it wrote a moment ago.", "search_files", {
      pattern: "export (const|function) \\w+",
      regex: true,
    });
    await step("5. It tries to read outside the project.", "read_file", { path: "../../../etc/passwd" });
    await step(
      "6. It asks for secrets. They are refused by name, whether there are any or not.",
      "read_file",
      {
        path: ".env",
      },
    );
    await step(
      "7. It runs a command, which works on the same files. What it changed is listed.",
      "run_command",
      {
        command: "node -p '6 * 7' > answer.txt && ls",
      },
    );
    await step("8. The command looks for your home, your network and its parent directory.", "run_command", {
      command: "ls -A ~ | wc -l; tail -n +3 /proc/net/dev | cut -d: -f1; ls -A ..",
    });
    await tellSession(cell);
  } finally {
    await cell.close();
  }
  await tellLog(cell.logFile);
  say("\nThe copy, its session and its log are removed again. To go on: README.md, docs/guide.md,");
  say("npx hotcell --help");
}

function tell({ success, output, error, meta }) {
  if (success && output.stdout !== undefined) say(`  printed  ${output.stdout.trim().replace(/\s+/g, " ")}`);
  else if (success) say(`  done     ${shortened(JSON.stringify(output))}`);
  else say(`  refused  ${error.code}\n           ${error.message}`);
  say(`  outcome  ${[meta.outcome, meta.why].filter(Boolean).join(", ")}`);
  if (meta.limits !== undefined)
    say(`  shield   ${meta.isolation}; changed: ${meta.changes.paths.join(", ") || "nothing"}`);
}

async function tellSession(cell) {
  say("\n$ hotcell session diff last");
  say(indented((await cell.diff()).unified()));
  say("9. A person takes the one file and throws the other changes away.");
  const { committed } = await cell.commit({ paths: ["src/bye.js"] });
  await cell.discard({ paths: ["README.md", "answer.txt"] });
  const { changes } = await cell.diff();
  say(`  committed ${committed.join(", ")}; changes left in the session: ${changes.length}`);
}

function indented(text) {
  return text.replace(/^(?=.)/gm, "  ");
}

function shortened(text) {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

async function tellLog(logFile) {
  say(
    "\nThe log has a line before a call runs (tool.intent) and one after it (tool.exec), for refused calls",
  );
  say("only the second. Each line holds the hash of the line before, so a later change shows:");
  for (const line of readFileSync(logFile, "utf8").trim().split("\n")) say(`  ${summary(JSON.parse(line))}`);
  say("\n$ hotcell audit verify");
  await runCli(["audit", "verify", "--state-dir", stateDir]);
}

function summary({ seq, kind, toolName, outcome, why, output, prev, hash }) {
  const link = `${prev.slice(0, 6)}→${hash.slice(0, 6)}`;
  const ended = [outcome, why, output?.error?.code].filter(Boolean).join(", ");
  return `${String(seq).padStart(2)}  ${link}  ${kind.padEnd(11)}  ${toolName.padEnd(12)}  ${ended}`.trimEnd();
}
