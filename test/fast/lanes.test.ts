// What needs Node only and what needs a shield are tested apart, and CI runs both.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import config from "../../vitest.config.ts";
import { ROOT } from "../kit/document.ts";

const LANES: Readonly<Record<string, readonly string[]>> = {
  fast: ["src/**/*.test.ts", "test/fast/**/*.test.ts"],
  machine: ["test/machine/**/*.test.ts"],
  soak: ["test/soak/**/*.test.ts"],
};

const APART = "test/machine/unprivileged-*.test.ts";
const lanes = config.test!.projects!.map((project) => (project as Lane).test);

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const scripts: Readonly<Record<string, string>> = JSON.parse(read("package.json")).scripts;

describe("P6.4: the fast lane and the machine lane", () => {
  test("have directories of their own", () => {
    const directories = lanes.filter(({ name }) => name !== "machine-apart");
    expect(directories.map(({ name, include }) => [name, include])).toEqual(Object.entries(LANES));
  });

  test("have what gives up root in a process of its own, and nowhere else", () => {
    const drops = testsIn("test/machine").filter((file) => read(file).includes("dropRoot("));
    expect(drops.length).toBeGreaterThan(0);
    expect(drops.filter((file) => !file.startsWith("test/machine/unprivileged-"))).toEqual([]);
    const { include, isolate } = lanes.find(({ name }) => name === "machine-apart")!;
    expect({ include, isolate }).toEqual({ include: [APART], isolate: true });
    expect(lanes.find(({ name }) => name === "machine")!.exclude).toEqual([APART]);
  });

  test("have every test between them, or it is one of the soak lane", () => {
    const strays = ["src", "test"].flatMap(testsIn).filter((file) => lanesOf(file).length !== 1);
    expect(strays).toEqual([]);
  });

  test.each(["fast", "machine"])("can each be run alone: %s", (lane) => {
    const line = scripts[`test:${lane}`]!;
    expect(line.match(/--project \S+/g)).toEqual([`--project ${lane === "machine" ? "'machine*'" : lane}`]);
  });

  test("are both run by npm test, and that by CI, which stops at the first failure", () => {
    expect(scripts.test).toBe("npm run test:fast && npm run test:machine");
    const lines = read(".ci/run").split("\n");
    expect(lines).toContain("npm test");
    expect(lines).toContain("set -euo pipefail");
  });
});

interface Lane {
  readonly test: {
    readonly name: string;
    readonly include: readonly string[];
    readonly exclude?: readonly string[];
    readonly isolate: boolean;
  };
}

function testsIn(top: string): string[] {
  const names = readdirSync(path.join(ROOT, top), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".test.ts")).map((name) => `${top}/${name}`);
}

function lanesOf(file: string): string[] {
  const isIn = (glob: string) => file.startsWith(glob.slice(0, glob.indexOf("**")));
  return Object.keys(LANES).filter((lane) => LANES[lane]!.some(isIn));
}
