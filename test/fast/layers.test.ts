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
    const found = new Set([...readSources().keys()].map(layerOf));
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
    if (!layers.includes(layerOf(file)))
      return [`${file}: ${layerOf(file)} is not a layer of ARCHITECTURE.md`];
    return importsOf(text).flatMap((target) => {
      const problem = findProblem(file, path.join(path.dirname(file), target), layers);
      return problem === null ? [] : [`${file} imports "${target}": ${problem}`];
    });
  });
}

/** The folder in `src`, or the file when it is in none; a test belongs to what it tests. */
function layerOf(file: string): string {
  return file.split("/")[0]!.replace(/\.test\.ts$/, ".ts");
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]*)"/g)].map(([, target]) => target!);
}

function findProblem(file: string, target: string, layers: readonly string[]): string | null {
  if (target.startsWith("..")) return file.endsWith(".test.ts") ? null : "it is not in src";
  const [from, to] = [layerOf(file), layerOf(target)];
  return layers.indexOf(to) <= layers.indexOf(from) ? null : `${to} is above ${from}`;
}
