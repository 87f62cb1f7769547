// ripgrep, an independent searcher, is asked the same: in the project's own packages, thousands of files that nobody
// wrote for this test.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHostWorkspace } from "../../src/workspace/host.ts";
import type { SearchQuery } from "../../src/workspace/search/search-query.ts";
import type { WorkspaceFS } from "../../src/workspace/workspace-fs.ts";
import { ROOT } from "../kit/document.ts";
import { queryFor } from "../kit/search-query.ts";

const PACKAGES = path.join(ROOT, "node_modules");
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
// As in JavaScript \b and \w are about ASCII, and a \r before \n is no part of the line.
const ALWAYS = "-n --null --no-config --no-ignore --no-unicode --crlf --color never -e".split(" ");

type Row = readonly [what: string, pattern: string, asked: Partial<SearchQuery>, flags: readonly string[]];

const REGEX = { regex: true } as const;
const ROWS: readonly Row[] = [
  ["a literal", "require(", {}, ["-F"]],
  ["a rare literal", "WebAssembly.Memory", {}, ["-F"]],
  ["a literal in any case", "todo", { ignoreCase: true }, ["-F", "-i"]],
  ["a literal beyond ASCII", "é", {}, ["-F"]],
  ["one character", "~", {}, ["-F"]],
  ["a pattern with a literal in it", "class [A-Za-z]+Error extends", REGEX, []],
  ["a pattern of several literals", "deprecated|obsolete|legacy", REGEX, []],
  ["a pattern without any", "[A-Z]{4}[0-9]{4}", REGEX, []],
  ["a pattern in any case", "^[ *]*copyright .*[0-9]{4}", { ...REGEX, ignoreCase: true }, ["-i"]],
  ["the ends of lines", "\\{$", REGEX, []],
  ["words", "\\bfoo\\b", REGEX, []],
  ["empty lines", "^$", { ...REGEX, globs: ["*.md"] }, ["-g", "*.md"]],
  ["some files", "export", { globs: ["*.ts", "!*.d.ts"] }, ["-F", "-g", "*.ts", "-g", "!*.d.ts"]],
  ["hidden files too", "node", { hidden: true, globs: ["*.json"] }, ["-F", "--hidden", "-g", "*.json"]],
];

let workspace: WorkspaceFS;
let stateDir: string;
beforeAll(() => {
  stateDir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-ripgrep-"));
  workspace = openHostWorkspace({ workspace: PACKAGES, stateDir, protectionOf: () => null });
});
afterAll(() => {
  workspace.close();
  fs.rmSync(stateDir, { recursive: true });
});

test.each(ROWS)("search finds the lines that ripgrep finds: %s", async (_what, pattern, asked, flags) => {
  const theirs = ripgrep(pattern, flags);
  const { matches } = await workspace.search(".", queryFor(pattern, asked));
  expect(theirs.length).toBeGreaterThan(0);
  expect(matches.map(({ path: at, line, text }) => `${at}:${line}:${text}`).sort()).toEqual(theirs);
});

function ripgrep(pattern: string, flags: readonly string[]): string[] {
  const args = [...flags, ...ALWAYS, pattern, "."];
  const { stdout } = spawnSync(rgPath, args, {
    cwd: PACKAGES,
    maxBuffer: MAX_OUTPUT_BYTES,
    encoding: "utf8",
  });
  const lines = [...stdout.matchAll(/^\.\/(.*)\0(\d+):(.*?)\r?$/gm)];
  return lines.map(([, at, line, text]) => `${at}:${line}:${text}`).sort();
}
