// Packages of others, and the Node that they need: installed once, without scripts, in the cache directory. They are no
// dependencies of hotcell: `npm ci` stays small.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { cacheDir } from "./cache-dir.js";

const NODE = "22.23.3";
const NODE_PACKAGE = `node-linux-${process.arch}`;
const FLAGS = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];

/** `packages` are `NAME@VERSION`. Gives the directory to import them from, and the program to run them with. */
export function installOnce(name, packages) {
  const all = [...packages, `${NODE_PACKAGE}@${NODE}`];
  const dir = path.join(cacheDir(), `${name}-${hash("sha256", all.join(" "), "hex").slice(0, 12)}`);
  if (!fs.existsSync(dir)) install(dir, name, all);
  return { dir, node: path.join(dir, "node_modules", NODE_PACKAGE, "bin", "node") };
}

/** In a directory of its own first: an interrupted installation is not taken for a whole one. */
function install(dir, name, packages) {
  process.stderr.write(`Installing ${name} and Node 22 into the cache directory; this is done once.\n`);
  const made = `${dir}.${process.pid}`;
  fs.mkdirSync(made, { recursive: true });
  const args = ["install", ...FLAGS, "--prefix", made, ...packages];
  execFileSync("npm", args, { cwd: made, stdio: ["ignore", "ignore", "inherit"] });
  try {
    fs.renameSync(made, dir);
  } catch (error) {
    // Another process was faster.
    fs.rmSync(made, { recursive: true });
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  }
}
