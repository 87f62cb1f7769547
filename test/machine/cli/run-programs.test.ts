// Interactive programs under `hotcell run`, in a terminal with a screen.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { openTmux, type TmuxTerminal } from "../../kit/worlds/tmux.ts";

const LINES = Array.from({ length: 200 }, (_, at) => `line ${at + 1}\n`).join("");

interface RunWorld {
  readonly terminal: TmuxTerminal;
  read(name: string): string;
  /** Waits until hotcell has ended. Gives its status and whether the terminal is as before. */
  end(): Promise<{ status: string; isRestored: boolean; isMainScreen: boolean }>;
}

/** Starts a program in a project with the file `f` of 200 lines. */
function run(program: string, files: Readonly<Record<string, string>> = {}): RunWorld {
  const dir = tempDir();
  const project = path.join(dir, "project");
  fs.mkdirSync(project);
  for (const [name, text] of Object.entries({ f: LINES, ...files }))
    fs.writeFileSync(path.join(project, name), text);
  const env = { HOTCELL_STATE_DIR: path.join(dir, "state"), HOME: dir };
  const terminal = openTmux({ cwd: project, dir, env });
  const line = `'${process.execPath}' '${ROOT}/bin/hotcell.js' run --keep -- ${program}`;
  terminal.enter(`stty -g > ../before; ${line}; echo $? > ../status; stty -g > ../after; echo a''ll`);
  const read = (name: string) => fs.readFileSync(path.join(project, name), "utf8");
  return {
    terminal,
    read,
    async end() {
      await terminal.see(/^all$/m);
      const isRestored = read("../before") === read("../after");
      return {
        status: read("../status").trimEnd(),
        isRestored,
        isMainScreen: terminal.read("alternate_on") === "0",
      };
    },
  };
}

const ENDED = { status: "0", isRestored: true, isMainScreen: true };

test("vim: keys, a new size, and Ctrl-C", async () => {
  const { terminal, end } = run(
    `vim -Nu NONE -c 'autocmd VimResized * call setline(1, &lines . "x" . &columns)' f`,
  );
  await terminal.see("line 39");
  terminal.resize(70, 20);
  await terminal.see(/^20x70$/m);
  terminal.press("i");
  await terminal.see("-- INSERT --");
  terminal.press("C-c");
  await terminal.see(/line 19\n\s*$/);
  terminal.enter(":wq");
  expect(await end()).toEqual(ENDED);
});

test("Ctrl-Z does not stop a program that no shell could continue", async () => {
  const { terminal, end } = run("bash -c 'echo ready; exec cat'");
  await terminal.see(/^ready$/m);
  terminal.press("C-z");
  await terminal.see("^Z");
  terminal.enter("here");
  await terminal.see(/here\nhere$/m);
  terminal.press("C-d");
  expect(await end()).toEqual(ENDED);
});

test("htop: it shows the processes of the sandbox, fits a new size and takes keys", async () => {
  const { terminal, end } = run("htop");
  await terminal.see("Load average");
  terminal.resize(90, 20);
  // After a resize htop draws its last line before the processes.
  const shown = await terminal.see(
    /^(?=(.*\n)*.*\bbwrap\b(.*\n)+.*\bscript\b(.*\n)+.*\bhtop\b)(.*\n){19}F1Help .*F10Quit\s*$/,
  );
  expect(shown.match(/\b(bwrap|script|htop)\b/g)).toEqual(["bwrap", "script", "htop"]);
  terminal.press("q");
  expect(await end()).toEqual(ENDED);
});

test("less: keys, a new size, and Ctrl-C", async () => {
  const { terminal, end } = run("less f");
  await terminal.see("line 39");
  terminal.resize(70, 20);
  await terminal.see(/line 19\n:\s*$/);
  terminal.press("F");
  await terminal.see("Waiting for data");
  terminal.press("C-c");
  await terminal.see(/line 200\n(\(END\)|:)\s*$/);
  terminal.press("g");
  await terminal.see(/^line 1\n/);
  terminal.press("q");
  expect(await end()).toEqual(ENDED);
});

test("python3: keys, a new size, Ctrl-C, and its own status", async () => {
  const { terminal, end } = run("python3 -q");
  await terminal.see(">>> ");
  terminal.resize(70, 20);
  terminal.enter("import os, time");
  terminal.enter("while os.get_terminal_size() != (70, 20): time.sleep(0.01)");
  terminal.enter("");
  terminal.enter("print('started'); time.sleep(600)");
  await terminal.see(/^started$/m);
  terminal.press("C-c");
  await terminal.see("KeyboardInterrupt");
  terminal.enter("exit(5)");
  expect(await end()).toEqual({ ...ENDED, status: "5" });
});

test("node: keys, a new size, Ctrl-C, and its own status", async () => {
  const { terminal, end } = run("node");
  await terminal.see(/^> $/m);
  terminal.enter("void process.stdout.on('resize', () => console.log(process.stdout.getWindowSize()))");
  await terminal.see("undefined");
  terminal.resize(70, 20);
  await terminal.see("[ 70, 20 ]");
  terminal.enter("console.log('started'); for (;;) {}");
  await terminal.see(/^started$/m);
  terminal.press("C-c");
  await terminal.see("interrupted");
  terminal.enter("process.exit(6)");
  expect(await end()).toEqual({ ...ENDED, status: "6" });
});

test("npm test -- --watch in bash: it sees an edit made while Ctrl-Z had stopped it, and Ctrl-C ends it", async () => {
  const { terminal, end, read } = run("bash --norc -i", {
    "package.json": '{ "scripts": { "test": "node --test" } }\n',
    "a.js": "exports.a = 1;\n",
    "a.test.js": `const { test } = require("node:test");
test("a is 2", () => require("node:assert").equal(require("./a.js").a, 2));\n`,
  });
  await terminal.see(/[$#] $/m);
  terminal.enter("npm test -- --watch");
  await terminal.see("fail 1");
  terminal.press("C-z");
  await terminal.see("Stopped");
  terminal.enter("sed -i s/1/2/ a.js; fg");
  await terminal.see("pass 1");
  terminal.press("C-c");
  await terminal.see(/[$#] $/m);
  terminal.enter("exit 7");
  expect(await end()).toEqual({ ...ENDED, status: "7" });
  expect(read("a.js")).toBe("exports.a = 1;\n");
});

test("vim in bash: Ctrl-Z gives the shell, and fg the same screen", async () => {
  const { terminal, end } = run("bash --norc -i");
  await terminal.see(/[$#] $/m);
  terminal.enter("vim -Nu NONE f");
  await terminal.see("line 39");
  terminal.press("C-z");
  await terminal.see("Stopped");
  terminal.enter("fg");
  await terminal.see("line 39");
  terminal.enter(":q");
  await terminal.see(/[$#] $/m);
  terminal.press("C-d");
  expect(await end()).toEqual(ENDED);
});

test("after a program was killed, the screen and the settings of the terminal are those of before", async () => {
  const mark = `killed-${process.pid}`;
  const { terminal, end } = run(`vim -Nu NONE f ${mark}`);
  await terminal.see("line 39");
  expect(terminal.read("alternate_on")).toBe("1");
  const found = execFileSync("pgrep", ["-f", `^vim .*${mark}$`], { encoding: "utf8" });
  process.kill(Number(found), "SIGKILL");
  expect(await end()).toEqual({ ...ENDED, status: "137" });
});

test("what a program prints after it left its full screen stays above the summary", async () => {
  const { terminal, end } = run("bash -c 'printf \"\\e[?1049hfull\\e[?1049l\"; seq 5; echo last words'");
  expect(await end()).toEqual(ENDED);
  expect(await terminal.see("changed nothing")).toMatch(/^4\n5\nlast words\nhotcell: bash ended/m);
});

test("what a program began to write to the clipboard and did not end is not written at its end; without hotcell it is", async () => {
  const begin = "printf 'on the way \\e]52;c;%s' Y3VybA==";
  const { terminal, end } = run(`bash -c "${begin}"`);
  expect(await end()).toEqual(ENDED);
  await terminal.see("on the way");
  expect(terminal.clipboard()).toBe("");
  terminal.enter(`${begin}; printf '\\030th''en'`);
  await terminal.see(/then/);
  expect(terminal.clipboard()).toBe("curl");
});
