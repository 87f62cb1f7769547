// Documents as tests read them: their code blocks, links and tables.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The pages below docs/. */
export const PAGES: readonly string[] = readdirSync(path.join(ROOT, "docs"))
  .filter((name) => name.endsWith(".md"))
  .sort()
  .map((name) => `docs/${name}`);

export const DOCUMENTS: readonly string[] = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "bench/README.md",
  ...PAGES,
];

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line number of its first line in the document. */
  readonly line: number;
}

export function readDocument(name: string): string {
  return readFileSync(path.join(ROOT, name), "utf8");
}

export function blocksOf(page: string, language: string): Block[] {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => ({
    language: match[1]!,
    text: match[2]!,
    line: page.slice(0, match.index).split("\n").length + 1,
  }));
  return blocks.filter((block) => block.language === language);
}

/** The anchors of its headings, as GitHub makes them. */
export function anchorsOf(page: string): Set<string> {
  const prose = page.replace(/^```.*?^```$/gms, "");
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!.toLowerCase());
  return new Set(headings.map((heading) => heading.replace(/[^\w\s-]/g, "").replaceAll(" ", "-")));
}

/** The rows of the table whose header begins with this cell, as lists of cells. */
export function tableOf(page: string, firstHead: string): string[][] {
  const lines = page.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`| ${firstHead} |`));
  const body = head < 0 ? [] : lines.slice(head + 2);
  const end = body.findIndex((line) => !line.startsWith("|"));
  return body.slice(0, end < 0 ? body.length : end).map(cellsOf);
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

/** Whether a text matches the text in a document: `…` matches anything within a line, and on a line of its own any lines. */
export function isShownAs(text: string, shown: string): boolean {
  const lines = shown.trimEnd().split("\n").map(linePattern);
  return new RegExp(`^${lines.join("")}$`).test(`${text.trimEnd()}\n`);
}

function linePattern(line: string): string {
  return line === "…" ? "(?:.*\n)*" : `${line.split("…").map(literal).join(".*")}\n`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
