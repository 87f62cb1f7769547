import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../../src/", import.meta.url));

/** What each file loads; imports of types alone are gone when it runs. */
type Graph = ReadonlyMap<string, readonly string[]>;

test("AC-1 no file of src loads itself in a circle", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const graph: Graph = new Map(
    files.map((file) => [file, importsOf(file, readFileSync(path.join(SRC, file), "utf8"))]),
  );
  expect(graph.get("cell.ts")).toContain("call/run-call.ts");
  expect(findCycle(graph)).toBeNull();
});

test("control: a circle is found, and one of types alone is none", () => {
  const graph = (back: string): Graph =>
    new Map([
      ["a/x.ts", importsOf("a/x.ts", 'import { y } from "../b/y.ts";')],
      ["b/y.ts", importsOf("b/y.ts", back)],
    ]);
  expect(findCycle(graph('import { type T, x } from "../a/x.ts";'))).toEqual(["a/x.ts", "b/y.ts", "a/x.ts"]);
  expect(findCycle(graph('import type { T } from "../a/x.ts";'))).toBeNull();
});

function importsOf(file: string, text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;"]*?\sfrom\s+)?"(\.[^"]+)"/gm);
  return [...statements].map(([, target]) => path.posix.join(path.posix.dirname(file), target!));
}

function findCycle(graph: Graph): string[] | null {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] | null => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...trail, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}
