// Compares searches with ripgrep, on a real tree of thousands of files.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expect } from "vitest";
import { openHostWorkspace } from "../../../src/workspace/directory/host.ts";
import type { SearchQuery } from "../../../src/workspace/files/search-query.ts";
import { queryFor } from "../search-query.ts";

const MAX_COMPARED_CHARS = 100_000;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
// As in JavaScript, \b and \w are ASCII only, and a \r before \n is not part of the line.
const ALWAYS = "-n --null --no-config --no-require-git --no-unicode --crlf --color never".split(" ");

/** Common and unusual ignore rules, by directory. */
const IGNORE_FILES: Readonly<Record<string, string>> = {
  ".gitignore": "*.map\n*.min.js\nesm/\n!keep.map\n/typescript/lib/*.d.ts\n**/test/**\nlocale*/\n",
  "yaml/.gitignore": "/browser\n*.md\n!README.md\n",
  "typescript/.gitignore": "lib/**/*.js\n!lib/tsc.js\n",
  "fast-check/.ignore": "lib/[a-f]*\n",
};

export type Row = readonly [
  what: string,
  pattern: string,
  asked: Partial<SearchQuery>,
  flags: readonly string[],
];

const regex = (pattern: string, what = pattern): Row => [what, pattern, { regex: true }, []];
const literal = (pattern: string): Row => [JSON.stringify(pattern), pattern, {}, ["-F"]];
const anyCase = ([what, pattern, asked, flags]: Row): Row => [
  `${what}, in any case`,
  pattern,
  { ...asked, ignoreCase: true },
  [...flags, "-i"],
];
/** In ripgrep a glob includes ignored and hidden files again; in hotcell it only narrows. So these queries ignore nothing else. */
const inFiles = ([what, pattern, asked, flags]: Row, ...globs: string[]): Row => [
  `${what}, in ${globs.join(" ")}`,
  pattern,
  { ...asked, globs, ignored: true, hidden: "all" },
  [...flags, "--no-ignore", "--hidden", ...globs.flatMap((glob) => ["-g", glob])],
];
const everywhere = ([what, pattern, asked, flags]: Row): Row => [
  `${what}, in ignored and hidden files too`,
  pattern,
  { ...asked, ignored: true, hidden: "all" },
  [...flags, "--no-ignore", "--hidden"],
];

export const ROWS: readonly Row[] = [
  literal("require("),
  literal("WebAssembly.Memory"),
  literal("\t\t\t\treturn "),
  literal("é"),
  literal("日本"),
  literal("~"),
  literal("=>"),
  literal("Copyright (c)"),
  literal("[0-9]+"),
  anyCase(literal("todo")),
  anyCase(literal("ERROR_CODE")),
  anyCase(literal("webassembly")),
  everywhere(literal("sourceMappingURL")),
  everywhere(anyCase(literal("licence"))),
  inFiles(literal("export"), "*.ts", "!*.d.ts"),
  inFiles(literal("import"), "*.{mjs,cjs}"),
  inFiles(literal("name"), "package.json"),
  inFiles(literal("function"), "**/lib/**/*.js"),
  inFiles(everywhere(literal("node")), "*.json"),
  regex("class [A-Za-z]+Error extends"),
  regex("deprecated|obsolete|legacy"),
  regex("TODO|FIXME|XXX"),
  regex("[A-Z]{4}[0-9]{4}"),
  regex("^import .* from ['\"].*['\"];?$"),
  regex("function\\s+\\w+\\s*\\("),
  regex("\\bconst\\s+[A-Z_]+\\b"),
  regex("\\{$"),
  regex("\\bfoo\\b"),
  regex("^\\s*\\*\\s@param"),
  regex("v?\\d+\\.\\d+\\.\\d+"),
  regex("(get|set)[A-Z]\\w+\\("),
  regex("use(State|Effect|Memo)\\("),
  regex("https?://[^\\s\"'<>]+\\.org"),
  regex("0x[0-9a-f]{8}\\b"),
  regex("a.{3,6}z\\d"),
  regex("[^\\x00-\\x7F]"),
  anyCase(regex("^[ *]*copyright .*[0-9]{4}")),
  anyCase(regex("(un)?supported (node|engine)")),
  inFiles(regex("^$", "empty lines"), "*.md"),
  inFiles(regex("^#+ ", "headings"), "*.md", "!CHANGELOG.md"),
];

export interface ComparedTree {
  compare(row: Row): Promise<void>;
  countMatches(asked: Partial<SearchQuery>): Promise<number>;
  close(): void;
}

/** `makeCopy` copies a tree of packages into the given directory. */
export function openComparedTree(makeCopy: (directory: string) => void, home: string): ComparedTree {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(home, "hotcell-ripgrep-")));
  const tree = path.join(top, "tree");
  makeCopy(tree);
  for (const [name, text] of Object.entries(IGNORE_FILES)) {
    fs.mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
    fs.writeFileSync(path.join(tree, name), text);
  }
  const stateDir = path.join(top, "state");
  const workspace = openHostWorkspace({ workspace: tree, stateDir, protectionOf: () => null });
  return {
    async compare([, pattern, asked, flags]) {
      const theirs = ripgrep(tree, pattern, flags);
      const { matches } = await workspace.search(".", queryFor(pattern, { ignored: false, ...asked }));
      expect(theirs.length).toBeGreaterThan(0);
      expect(matches.map(({ path: at, line, text }) => shown(at, String(line), text)).sort()).toEqual(theirs);
    },
    countMatches: async (asked) =>
      (await workspace.search(".", queryFor("sourceMappingURL", asked))).matches.length,
    close() {
      workspace.close();
      execFileSync("rm", ["-rf", top]);
    },
  };
}

function ripgrep(tree: string, pattern: string, flags: readonly string[]): string[] {
  const args = [...ALWAYS, ...flags, "-e", pattern, "."];
  const { stdout } = spawnSync(rgPath, args, { cwd: tree, maxBuffer: MAX_OUTPUT_BYTES, encoding: "utf8" });
  const lines = [...stdout.matchAll(/^\.\/(.*)\0(\d+):(.*?)\r?$/gm)];
  return lines.map(([, at, line, text]) => shown(at!, line!, text!)).sort();
}

/** Both cut very long lines, but differently. For those only the position is compared. */
function shown(at: string, line: string, text: string): string {
  return `${at}:${line}:${text.length > MAX_COMPARED_CHARS ? "" : text}`;
}
