// ripgrep, an independent searcher, is asked the same in a real tree: thousands of files that nobody wrote for this test.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHostWorkspace } from "../../src/workspace/directory/host.ts";
import type { SearchQuery } from "../../src/workspace/files/search-query.ts";
import type { WorkspaceFS } from "../../src/workspace/files/workspace-fs.ts";
import { queryFor } from "./search-query.ts";

const MAX_COMPARED_CHARS = 100_000;
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;
// As in JavaScript \b and \w are about ASCII, and a \r before \n is no part of the line.
const ALWAYS = "-n --null --no-config --no-require-git --no-unicode --crlf --color never".split(" ");

/** Rules as projects have them, and some that few would write; by directory. */
const IGNORE_FILES: Readonly<Record<string, string>> = {
  ".gitignore": "*.map\n*.min.js\nesm/\n!keep.map\n/typescript/lib/*.d.ts\n**/test/**\nlocale*/\n",
  "yaml/.gitignore": "/browser\n*.md\n!README.md\n",
  "typescript/.gitignore": "lib/**/*.js\n!lib/tsc.js\n",
  "fast-check/.ignore": "lib/[a-f]*\n",
};

type Row = readonly [what: string, pattern: string, asked: Partial<SearchQuery>, flags: readonly string[]];

const regex = (pattern: string, what = pattern): Row => [what, pattern, { regex: true }, []];
const literal = (pattern: string): Row => [JSON.stringify(pattern), pattern, {}, ["-F"]];
const anyCase = ([what, pattern, asked, flags]: Row): Row => [
  `${what}, in any case`,
  pattern,
  { ...asked, ignoreCase: true },
  [...flags, "-i"],
];
/** A glob of ripgrep's brings back what is ignored or hidden, ours only narrows; so nothing is left out otherwise then. */
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

const ROWS: readonly Row[] = [
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

/** `makeCopy` puts a tree of packages into the directory that it is given. */
export function ripgrepSuite(makeCopy: (directory: string) => void, home: string): void {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(home, "hotcell-ripgrep-")));
  const tree = path.join(top, "tree");
  let workspace: WorkspaceFS;
  beforeAll(() => {
    makeCopy(tree);
    for (const [name, text] of Object.entries(IGNORE_FILES)) {
      fs.mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
      fs.writeFileSync(path.join(tree, name), text);
    }
    workspace = openHostWorkspace({
      workspace: tree,
      stateDir: path.join(top, "state"),
      protectionOf: () => null,
    });
  });
  afterAll(() => {
    workspace.close();
    execFileSync("rm", ["-rf", top]);
  });

  test("is asked forty questions", () => expect(ROWS.length).toBe(40));

  test.each(ROWS)("search finds the lines that ripgrep finds: %s", async (_what, pattern, asked, flags) => {
    const theirs = ripgrep(pattern, flags);
    const { matches } = await workspace.search(".", queryFor(pattern, { ignored: false, ...asked }));
    expect(theirs.length).toBeGreaterThan(0);
    expect(matches.map(({ path: at, line, text }) => shown(at, String(line), text)).sort()).toEqual(theirs);
  });

  test("the ignore rules leave something out, and not all", async () => {
    const count = async (asked: Partial<SearchQuery>) =>
      (await workspace.search(".", queryFor("sourceMappingURL", asked))).matches.length;
    const [some, all] = [await count({ ignored: false }), await count({ ignored: true })];
    expect(some).toBeGreaterThan(0);
    expect(some).toBeLessThan(all);
  });

  function ripgrep(pattern: string, flags: readonly string[]): string[] {
    const args = [...ALWAYS, ...flags, "-e", pattern, "."];
    const { stdout } = spawnSync(rgPath, args, { cwd: tree, maxBuffer: MAX_OUTPUT_BYTES, encoding: "utf8" });
    const lines = [...stdout.matchAll(/^\.\/(.*)\0(\d+):(.*?)\r?$/gm)];
    return lines.map(([, at, line, text]) => shown(at!, line!, text!)).sort();
  }
}

/** Very long lines are cut, each in its own way: of those only the place is compared. */
function shown(at: string, line: string, text: string): string {
  return `${at}:${line}:${text.length > MAX_COMPARED_CHARS ? "" : text}`;
}
