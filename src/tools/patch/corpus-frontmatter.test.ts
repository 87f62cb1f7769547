import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { FrontmatterUpdate } from "./frontmatter-changes.ts";
import { type Frontmatter, parseFrontmatter } from "./parse-frontmatter.ts";
import { updateFrontmatter } from "./update-frontmatter.ts";

interface Row {
  readonly id: string;
  readonly cat: string;
  readonly text: string | { readonly gen: readonly (readonly [string, number])[] };
  readonly expected: "parse" | "error" | "either";
  readonly data?: JsonObject;
  readonly update?: FrontmatterUpdate;
  readonly never?: readonly string[];
  readonly reason: string;
}

const corpus = new URL("../../../test/corpus/frontmatter.jsonl", import.meta.url);
const rows: readonly Row[] = fs
  .readFileSync(corpus, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const prototypeKeys = Reflect.ownKeys(Object.prototype);
const globalKeys = Reflect.ownKeys(globalThis);
const home = process.cwd();
const place = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-frontmatter-"));

// The blocks in other languages write a file MARK where the process is.
beforeAll(() => process.chdir(place));
afterAll(() => {
  process.chdir(home);
  fs.rmSync(place, { recursive: true });
});

for (const row of rows) {
  const limit = row.never?.includes(">2 s") ? { timeout: 2000 } : {};
  test(`${row.id} ${row.cat}, ${row.expected}: ${row.reason}`, limit, () => {
    const text = expand(row.text);
    const { maxRSS } = process.resourceUsage();
    const before = attempt(() => parseFrontmatter(text));
    if (row.expected !== "either") expect(before === null).toBe(row.expected === "error");
    if (row.data) expect(before?.data).toEqual(row.data);
    if (before && row.update) checkUpdate(text, before, row.update);
    expect(process.resourceUsage().maxRSS - maxRSS).toBeLessThan(500_000);
    expect(fs.readdirSync(".")).toEqual([]);
    expect(Reflect.ownKeys(Object.prototype)).toEqual(prototypeKeys);
    expect(Reflect.ownKeys(globalThis)).toEqual(globalKeys);
  });
}

test("a block that is run would be seen: it leaves MARK behind", () => {
  const block = /^---js\n(.*)\n---/.exec(expand(rows.find(({ id }) => id === "fm-015")!.text))![1];
  new Function("require", `return ${block}`)(createRequire(import.meta.url));
  expect(fs.readdirSync(".")).toEqual(["MARK"]);
  fs.unlinkSync("MARK");
});

/** Null when it was refused, as only front matter is. */
function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(HotcellError);
    expect((error as HotcellError).code).toBe("INVALID_FRONTMATTER");
    expect((error as HotcellError).message).toMatch(
      /^Could not (?:read|update) the front matter: [^\p{C}]{1,400}$/u,
    );
    return null;
  }
}

function checkUpdate(text: string, before: Frontmatter, update: FrontmatterUpdate): void {
  const result = attempt(() => updateFrontmatter(text, update));
  if (result === null) return;
  const touched = Object.keys(update);
  const rest = ({ data }: Frontmatter): unknown[] =>
    Object.entries(data).filter(([key]) => !touched.includes(key));
  const after = parseFrontmatter(result);
  expect(rest(after)).toEqual(rest(before));
  for (const key of touched) expect(after.data[key]).toBeDefined();
  expect(result.endsWith(text.slice(text.indexOf("\n---", 3)))).toBe(true);
}

function expand(text: Row["text"]): string {
  return typeof text === "string" ? text : text.gen.map(([part, count]) => part.repeat(count)).join("");
}
