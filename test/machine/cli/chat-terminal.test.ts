// The real command in a pseudo-terminal, typed into by tmux, as a person would.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { openTmux } from "../../kit/worlds/tmux.ts";

function openTerminal(project: string, stateDir: string) {
  return openTmux({ cwd: project, dir: path.dirname(stateDir), env: { HOTCELL_STATE_DIR: stateDir } });
}

test("chat in a terminal: a prompt, a call, /diff, Ctrl-C that cancels only the run, and a commit by hunks at the end", async () => {
  const top = tempDir();
  const [project, stateDir] = [path.join(top, "project"), path.join(top, "state")];
  for (const dir of [project, stateDir]) fs.mkdirSync(dir);
  const terminal = openTerminal(project, stateDir);
  terminal.enter(`'${process.execPath}' '${ROOT}/bin/hotcell.js' chat --model scripted`);
  await terminal.see(/^> $/m);
  terminal.enter("write a.txt hello");
  await terminal.see("● write_file a.txt");
  await terminal.see(/done · .* 1 call$/m);
  terminal.enter("/diff");
  await terminal.see("+hello");
  terminal.enter("run sleep 600");
  await terminal.see("● run_command sleep 600");
  terminal.press("C-c");
  await terminal.see(/^cancelled · /m);
  terminal.enter("/quit");
  await terminal.see("Commit the changes to the project?");
  terminal.enter("p");
  await terminal.see("Add a.txt?");
  terminal.enter("y");
  await terminal.see("Committed 1 change");
  await terminal.see(/\n\$ $/m);
  expect(fs.readFileSync(path.join(project, "a.txt"), "utf8")).toBe("hello\n");
});

test("a question in a terminal shows the diff, and a no with its reason reaches the log", async () => {
  const top = tempDir();
  const [project, stateDir] = [path.join(top, "project"), path.join(top, "state")];
  for (const dir of [project, stateDir]) fs.mkdirSync(dir);
  const terminal = openTerminal(project, stateDir);
  terminal.enter(`'${process.execPath}' '${ROOT}/bin/hotcell.js' chat --model scripted --fs host`);
  await terminal.see(/^> $/m);
  terminal.enter("write a.txt hello");
  await terminal.see("Run it?");
  const shown = await terminal.see("+hello");
  expect(shown).toContain("+++ a.txt");
  terminal.enter("no, not this file");
  await terminal.see("not this file");
  await terminal.see(/done · /);
  expect(fs.existsSync(path.join(project, "a.txt"))).toBe(false);
});

test("a second Ctrl-C leaves the chat: after a run that the first has cancelled, the changes are offered and the shell is back", async () => {
  const top = tempDir();
  const [project, stateDir] = [path.join(top, "project"), path.join(top, "state")];
  for (const dir of [project, stateDir]) fs.mkdirSync(dir);
  const terminal = openTerminal(project, stateDir);
  terminal.enter(`'${process.execPath}' '${ROOT}/bin/hotcell.js' chat --model scripted; echo left with $?`);
  await terminal.see(/^> $/m);
  terminal.enter("write a.txt hello");
  await terminal.see(/^done · .*\n> $/m);
  terminal.enter("run echo works; sleep 600");
  await terminal.see(/^ {2}│ works$/m);
  terminal.press("C-c");
  await terminal.see(/^cancelled · .*\n> $/m);
  terminal.press("C-c");
  await terminal.see("Commit the changes to the project?");
  terminal.enter("n");
  await terminal.see(/^left with 1\n\$ $/m);
  expect(fs.readdirSync(project)).toEqual([]);
});

test("the output of a command is folded: five lines, and how many more there are", async () => {
  const top = tempDir();
  const [project, stateDir] = [path.join(top, "project"), path.join(top, "state")];
  for (const dir of [project, stateDir]) fs.mkdirSync(dir);
  const terminal = openTerminal(project, stateDir);
  terminal.enter(`'${process.execPath}' '${ROOT}/bin/hotcell.js' chat --model scripted`);
  await terminal.see(/^> $/m);
  terminal.enter("run seq 12");
  const shown = await terminal.see(/^done · .* 1 call$/m);
  const folded = ["1", "2", "3", "4", "5", "… 7 more lines"].map((line) => `  │ ${line}`).join("\n");
  expect(shown).toContain(`● run_command seq 12\n${folded}\n`);
});

test("the example in a terminal: text, calls, a question with its diff, refusals, and the status line", async () => {
  const top = tempDir();
  const [project, stateDir] = [path.join(top, "fix-test"), path.join(top, "state")];
  fs.cpSync(path.join(ROOT, "examples/fix-test"), project, { recursive: true });
  fs.mkdirSync(stateDir);
  const terminal = openTerminal(project, stateDir);
  terminal.resize(110, 70);
  terminal.enter(`hotcell() { '${process.execPath}' '${ROOT}/bin/hotcell.js' "$@"; }; clear`);
  await terminal.see(/^\$ $/m);
  const command =
    "hotcell chat --model scripted/script.json --rule 'ask write_file(src/**)' 'Fix the failing test'";
  terminal.enter(command);
  await terminal.see(/^\+.*replaceAll(.*\n)*>>> write_file src\/slug\.js\nRun it\?/m);
  terminal.enter("y");
  const shown = await terminal.see("Commit the changes to the project?");
  expect(shown).toMatch(
    /^● run_command node --test\n(.*\n)*● write_file \.git\/hooks\/pre-commit\n {2}✗ refused: /m,
  );
  expect(shown).toMatch(/^done · 0 tokens in, 0 out · 7 calls$/m);
  // The diff of the question, and that of the end.
  const added = terminal.capture().match(/^\u001b\[32m\+.*replaceAll/gm);
  expect(added).toHaveLength(2);
  if (process.env.HOTCELL_RECORD === "1") {
    const input = JSON.stringify({ project, command, screen: terminal.capture() });
    execFileSync(process.execPath, [path.join(ROOT, "scripts/draw-chat.js")], { input });
  }
  terminal.enter("n");
  await terminal.see(/project\? .*n\n(.*\n)*\$ $/m);
});
