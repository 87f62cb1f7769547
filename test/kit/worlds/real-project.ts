// A project with common tools: installed once, without scripts, beside the benchmarks' projects in the user's cache
// directory. Afterwards no test needs a registry.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const DEPENDENCIES = {
  "es-value-fixtures": "1.7.1",
  "has-bigints": "1.1.0",
  "has-override-mistake": "1.0.1",
  "has-property-descriptors": "1.0.2",
  "has-proto": "1.2.0",
  "has-symbols": "1.1.0",
  "iconv-lite": "0.5.2",
  jest: "30.5.2",
  "mock-property": "1.1.0",
  "object-inspect": "1.13.4",
  qs: "6.14.0",
  "qs-iconv": "1.0.4",
  "safer-buffer": "2.1.2",
  tape: "5.9.0",
  tsx: "4.23.15",
  vite: "8.3.8",
  vitest: "4.1.12",
};

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "everyday", private: true, devDependencies: DEPENDENCIES }),
  "src/sum.ts": "export const sum = (a: number, b: number): number => a + b;\n",
  "src/main.ts":
    'import { sum } from "./sum.ts";\nconsole.log(`sum ${sum(1, 2)}`);\ndocument.title = `sum ${sum(1, 2)}`;\n',
  "script.ts": 'import { sum } from "./src/sum.ts";\nconsole.log(`sum ${sum(1, 2)}`);\n',
  "index.html": '<!doctype html><title>x</title><script type="module" src="/src/main.ts"></script>\n',
  "jest/sum.test.js": 'test("adds", () => expect(1 + 2).toBe(3));\n',
  "vitest/sum.test.ts":
    'import { expect, test } from "vitest";\nimport { sum } from "../src/sum.ts";\ntest("adds", () => expect(sum(1, 2)).toBe(3));\n',
  "jest.config.json": '{ "roots": ["jest"] }\n',
  "shared.py":
    'from multiprocessing import Manager, Pool\ndef double(n): return 2 * n\nif __name__ == "__main__":\n    with Manager() as manager, Pool(2) as pool:\n        shared = manager.list(pool.map(double, [1, 2])); print(list(shared))\n',
};

/** The cache directory of the benchmarks. */
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "hotcell-bench");

/** The project's directory. Commands see it at this path, so it is not below /tmp. */
export function openRealProject(): string {
  return openInstalled("everyday", FILES);
}

/** A directory with package managers that no Debian package brings. */
export function openPackageManagers(): string {
  const dependencies = { "@yarnpkg/cli-dist": "4.18.1", pnpm: "12.18.0", yarn: "1.22.22" };
  const manifest = { name: "package-managers", private: true, dependencies };
  return openInstalled("package-managers", { "package.json": JSON.stringify(manifest) });
}

/** A directory with these files and the packages of its package.json, in the cache. */
export function openInstalled(name: string, files: Readonly<Record<string, string>>): string {
  const digest = hash("sha256", JSON.stringify(files), "hex").slice(0, 12);
  const dir = path.join(CACHE, `${name}-${digest}`);
  if (!fs.existsSync(dir)) install(dir, files);
  return dir;
}

/** Installs into a temporary directory first, so that an interrupted installation does not count as complete. */
function install(dir: string, files: Readonly<Record<string, string>>): void {
  const staging = `${dir}.${process.pid}`;
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(staging, name)), { recursive: true });
    fs.writeFileSync(path.join(staging, name), content);
  }
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--silent"];
  execFileSync("npm", ["install", ...options], { cwd: staging, stdio: ["ignore", "ignore", "inherit"] });
  fs.renameSync(staging, dir);
}
