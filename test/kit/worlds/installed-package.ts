// The packed files as a user installs them: with their dependencies, and without the rest of the checkout.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "./temp-cell.ts";

export const CHECKOUT = fileURLToPath(new URL("../../../", import.meta.url));
const CONFIG = { encoding: "utf8" } as const;

export interface Installed {
  readonly dir: string;
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
}

export function install(): Installed {
  const top = tempDir();
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", top], {
      ...CONFIG,
      cwd: CHECKOUT,
    }),
  );
  const modules = path.join(top, "node_modules");
  fs.mkdirSync(path.join(modules, "hotcell"), { recursive: true });
  execFileSync("tar", [
    "-xzf",
    path.join(top, filename),
    "-C",
    path.join(modules, "hotcell"),
    "--strip-components=1",
  ]);
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(CHECKOUT, "package.json"), "utf8"));
  for (const name of runtimeModules(Object.keys(dependencies))) {
    fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    fs.symlinkSync(path.join(CHECKOUT, "node_modules", name), path.join(modules, name));
  }
  fs.mkdirSync(path.join(top, "project"));
  fs.writeFileSync(path.join(top, "project/a.txt"), "hi\n");
  const env = { PATH: process.env.PATH, HOTCELL_STATE_DIR: path.join(top, "state") };
  return { dir: path.join(top, "project"), bin: path.join(modules, "hotcell/bin/hotcell.js"), env };
}

/** All direct and indirect dependencies. */
function runtimeModules(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names.filter((one) => !found.has(one))) {
    found.add(name);
    const { dependencies = {} } = JSON.parse(
      fs.readFileSync(path.join(CHECKOUT, "node_modules", name, "package.json"), "utf8"),
    );
    runtimeModules(Object.keys(dependencies), found);
  }
  return found;
}

/** Makes the project an ESM program that can be compiled. */
export function addNodeTypes(dir: string): void {
  const types = path.join(path.dirname(dir), "node_modules/@types");
  fs.mkdirSync(types);
  fs.symlinkSync(path.join(CHECKOUT, "node_modules/@types/node"), path.join(types, "node"));
  fs.writeFileSync(path.join(dir, "package.json"), '{ "type": "module" }');
}
