// The list of layers stands once, in ARCHITECTURE.md: an import points to its own layer or to one before it.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const layers = readLayers(readFileSync(path.join(ROOT, "ARCHITECTURE.md"), "utf8"));

/** Paths relative to `src` to the text of the file. */
type Sources = ReadonlyMap<string, string>;

describe("imports", () => {
  test("none in src points up, out of src, or to a folder that is not a layer", () => {
    expect(findWrongImports(readSources(), layers)).toEqual([]);
  });

  test("every layer of the list is there", () => {
    const found = new Set([...readSources().keys()].map((file) => layerOf(file, layers)));
    expect(layers.filter((layer) => !found.has(layer))).toEqual([]);
  });

  test.each<[file: string, text: string, problem: string]>([
    [
      "core/a.ts",
      'import { openCell } from "../cell.ts";',
      'core/a.ts imports "../cell.ts": cell.ts is above core',
    ],
    [
      "log/deep/a.ts",
      'import type {\n  X,\n} from "../../call/x.ts";',
      'log/deep/a.ts imports "../../call/x.ts": call is above log',
    ],
    [
      "policy/a.ts",
      'export * from "../tools/registry.ts";',
      'policy/a.ts imports "../tools/registry.ts": tools is above policy',
    ],
    [
      "workspace/a.ts",
      'const x = await import("../doors/cli/main.ts");',
      'workspace/a.ts imports "../doors/cli/main.ts": doors is above workspace',
    ],
    ["core/a.ts", 'import "../index.ts";', 'core/a.ts imports "../index.ts": index.ts is above core'],
    [
      "core/a.test.ts",
      'import { x } from "../log/log.ts";',
      'core/a.test.ts imports "../log/log.ts": log is above core',
    ],
    [
      "call/a.ts",
      'import { x } from "../../test/kit/x.ts";',
      'call/a.ts imports "../../test/kit/x.ts": it is not in src',
    ],
    [
      "workspace/overlay/a.ts",
      'import { x } from "../session/x.ts";',
      'workspace/overlay/a.ts imports "../session/x.ts": workspace/session is above workspace/overlay',
    ],
    [
      "shield/process/a.ts",
      'import { x } from "../shield.ts";',
      'shield/process/a.ts imports "../shield.ts": shield is above shield/process',
    ],
    ["workspace/new/a.ts", "", "workspace/new/a.ts: workspace/new is not a layer of ARCHITECTURE.md"],
    ["utils/a.ts", "", "utils/a.ts: utils is not a layer of ARCHITECTURE.md"],
    ["stray.ts", "", "stray.ts: stray.ts is not a layer of ARCHITECTURE.md"],
  ])("control: a wrong one in %s is found: %s", (file, text, problem) => {
    expect(findWrongImports(new Map([[file, text]]), layers)).toEqual([problem]);
  });

  test("control: right ones are let through", () => {
    const text =
      'import fs from "node:fs";\nimport { a } from "./b.ts";\nexport { c } from "../core/errors.ts";';
    expect(findWrongImports(new Map([["call/a.ts", text]]), layers)).toEqual([]);
    expect(findWrongImports(new Map([["call/a.test.ts", 'import "../../test/kit/x.ts";']]), layers)).toEqual(
      [],
    );
  });
});

const MOST_FILES = 25;

describe("folders", () => {
  test(`none has more than ${MOST_FILES} source files beside each other`, () => {
    expect(findCrowded([...readSources().keys()])).toEqual([]);
  });

  test("control: one that has is found, and tests do not count", () => {
    const files = Array.from({ length: 26 }, (_, index) => `log/${index}.ts`);
    expect(findCrowded(files)).toEqual(["log has 26 source files"]);
    expect(findCrowded([...files.slice(1), "log/1.test.ts"])).toEqual([]);
  });
});

describe("exported names", () => {
  test("none is defined in two files", () => {
    expect(findTwice(readSources())).toEqual([]);
  });

  test("control: one that is is found, also by an alias or by destructuring; what a file only passes on is not defined there", () => {
    const sources = new Map([
      ["a.ts", "export interface Place {}"],
      ["b.ts", "export type Place = string;"],
      ["c.ts", 'export type { Place } from "./a.ts";'],
      ["d.test.ts", "export const Place = 1;"],
      ["e.ts", "export interface Seat {}"],
      ["f.ts", 'export {\n  type Chair as Seat,\n} from "./g.ts";'],
      ["h.ts", "export const {\n  TABLE,\n  legs: Leg,\n} = room;"],
      ["i.ts", "export const TABLE = 1;\nexport class Leg {}"],
    ]);
    expect(findTwice(sources)).toEqual([
      "Leg: h.ts, i.ts",
      "Place: a.ts, b.ts",
      "Seat: e.ts, f.ts",
      "TABLE: h.ts, i.ts",
    ]);
  });
});

function findCrowded(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files.filter((name) => !name.endsWith(".test.ts"))) {
    const folder = path.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) =>
    count > MOST_FILES ? [`${folder} has ${count} source files`] : [],
  );
}

const DEFINITION =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;

/** `export { A as B }` gives another thing the name B. */
function aliasesOf(text: string): RegExpMatchArray[] {
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => [
    ...list!.matchAll(/\bas (\w+)/g),
  ]);
}

/** `export const { A, b: B } = c` defines A and B. */
function destructuredIn(text: string): RegExpMatchArray[] {
  return [...text.matchAll(/^export const \{([^}]*)\}/gm)].flatMap(([, list]) => [
    ...list!.matchAll(/(\w+)\s*(?:,|$)/g),
  ]);
}

function findTwice(sources: Sources): string[] {
  const homes = new Map<string, string[]>();
  for (const [file, text] of sources) {
    if (file.endsWith(".test.ts")) continue;
    const definitions = [...text.matchAll(DEFINITION), ...aliasesOf(text), ...destructuredIn(text)];
    for (const name of new Set(definitions.map(([, found]) => found!)))
      homes.set(name, [...(homes.get(name) ?? []), file]);
  }
  return [...homes]
    .flatMap(([name, files]) => (files.length > 1 ? [`${name}: ${files.join(", ")}`] : []))
    .sort();
}

function readLayers(page: string): string[] {
  const [, list = ""] = /^```layers\n(.*?)^```/ms.exec(page) ?? [];
  return [...list.matchAll(/^(\S+)/gm)].map(([name]) => name);
}

function readSources(): Sources {
  const src = path.join(ROOT, "src");
  const names = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return new Map(names.map((name) => [name, readFileSync(path.join(src, name), "utf8")]));
}

function findWrongImports(sources: Sources, layers: readonly string[]): string[] {
  return [...sources].flatMap(([file, text]) => {
    const layer = layerOf(file, layers);
    if (!layers.includes(layer)) return [`${file}: ${layer} is not a layer of ARCHITECTURE.md`];
    return importsOf(text).flatMap((target) => {
      const problem = findProblem(file, path.join(path.dirname(file), target), layers);
      return problem === null ? [] : [`${file} imports "${target}": ${problem}`];
    });
  });
}

/** The folder in `src`, or the file when it is in none; of a folder with layers of its own the one below it. A test belongs to what it tests. */
function layerOf(file: string, layers: readonly string[]): string {
  const [top, below, ...rest] = file.replace(/\.test\.ts$/, ".ts").split("/");
  const isDivided = layers.some((layer) => layer.startsWith(`${top}/`));
  return isDivided && rest.length > 0 ? `${top}/${below}` : top!;
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]*)"/g)].map(([, target]) => target!);
}

function findProblem(file: string, target: string, layers: readonly string[]): string | null {
  if (target.startsWith("..")) return file.endsWith(".test.ts") ? null : "it is not in src";
  const [from, to] = [layerOf(file, layers), layerOf(target, layers)];
  return layers.indexOf(to) <= layers.indexOf(from) ? null : `${to} is above ${from}`;
}
