// What needs Node only and what needs a shield are tested apart, and CI runs both.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import config, { AS_USER_TOO } from "../../vitest.config.ts";
import { IS_ROOT } from "../kit/is-root.ts";
import { ROOT } from "../kit/worlds/document.ts";

const LANES: Readonly<Record<string, readonly string[]>> = {
  fast: ["src/**/*.test.ts", "test/fast/**/*.test.ts"],
  machine: ["test/machine/**/*.test.ts"],
  clients: ["test/clients/**/*.test.ts"],
  soak: ["test/soak/**/*.test.ts"],
};

const lanes = config.test!.projects!.map((project) => (project as Lane).test);

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
const scripts: Readonly<Record<string, string>> = JSON.parse(read("package.json")).scripts;

describe("P6.4: the fast lane and the machine lane", () => {
  test("have directories of their own", () => {
    const directories = lanes.filter(({ name }) => name !== "machine-as-user");
    expect(directories.map(({ name, include }) => [name, include])).toEqual(Object.entries(LANES));
  });

  test("have files that root runs again as an ordinary user, each of them there; an ordinary user runs them once", () => {
    const { include, setupFiles } = lanes.find(({ name }) => name === "machine-as-user")!;
    expect([include, setupFiles]).toEqual([AS_USER_TOO, ["test/kit/become-user.ts"]]);
    expect(include.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
    expect(lanes.find(({ name }) => name === "machine")!.exclude).toEqual(IS_ROOT ? [] : AS_USER_TOO);
  });

  test("have files that are for an ordinary user only among those", () => {
    const forUsers = testsIn("test/machine").filter((file) => read(file).includes("runIf(!IS_ROOT"));
    expect(forUsers.length).toBeGreaterThan(0);
    expect(forUsers.filter((file) => !AS_USER_TOO.includes(file))).toEqual([]);
  });

  test("have every test between them, or it is one of the soak lane", () => {
    const strays = ["src", "test"].flatMap(testsIn).filter((file) => lanesOf(file).length !== 1);
    expect(strays).toEqual([]);
  });

  test("run random tests with a fixed seed and a new one", () => {
    const files = ["src", "test"].flatMap(sourcesIn).filter((file) => file !== "test/kit/assert-property.ts");
    expect(files.filter((file) => /\bfc\.(assert|check)\(/.test(read(file)))).toEqual([]);
    const unseeded = files.filter((file) => !/\b(seedsTo|randomSeed)\(/.test(read(file)));
    const sampling = new Set(unseeded.filter((file) => /\bfc\.sample\(/.test(read(file))));
    expect(sampling.size).toBeGreaterThan(0);
    // What imports a file that samples has to give it seeds, or passes them on itself.
    for (const file of sampling) {
      const imports = (other: string) => read(other).includes(`/${path.basename(file)}"`);
      for (const other of unseeded.filter(imports)) sampling.add(other);
    }
    expect([...sampling].filter((file) => file.endsWith(".test.ts"))).toEqual([]);
  });

  test.each(["fast", "machine"])("can each be run alone: %s", (lane) => {
    const line = scripts[`test:${lane}`]!;
    expect(line.match(/--project \S+/g)).toEqual([`--project ${lane === "machine" ? "'machine*'" : lane}`]);
  });

  test("are both run by npm test, and that by CI, which stops at the first failure", () => {
    expect(scripts.test).toBe("npm run test:fast && npm run test:machine");
    const lines = read(".ci/run")
      .split("\n")
      .map((line) => line.trim());
    expect(lines).toContain("npm test");
    expect(lines).toContain("set -euo pipefail");
  });

  test("are run by CI, also as an ordinary user", () => {
    const [asRoot, asUser] = read(".ci/run").split("chown -R nobody:");
    expect(asRoot).toContain("\nnpm test\n");
    expect(asUser).toContain("\nas_user() { setpriv --reuid=nobody ");
    expect(asUser).toMatch(/\nas_user npm run test:fast\nas_user npx vitest run --project machine\n$/);
  });
});

interface Lane {
  readonly test: {
    readonly name: string;
    readonly include: readonly string[];
    readonly exclude?: readonly string[];
    readonly setupFiles?: readonly string[];
  };
}

function sourcesIn(top: string): string[] {
  const names = readdirSync(path.join(ROOT, top), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => `${top}/${name}`);
}

const testsIn = (top: string) => sourcesIn(top).filter((file) => file.endsWith(".test.ts"));

function lanesOf(file: string): string[] {
  const isIn = (glob: string) => file.startsWith(glob.slice(0, glob.indexOf("**")));
  return Object.keys(LANES).filter((lane) => LANES[lane]!.some(isIn));
}
