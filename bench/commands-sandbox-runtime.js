// @anthropic-ai/sandbox-runtime and the Node that it needs: installed once, without scripts, in the cache directory.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const RUNTIME = "0.0.83";
const NODE = "22.23.3";
const NODE_PACKAGE = `node-linux-${process.arch}`;
const FLAGS = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];

/** The program and the module to run it with. */
export function installSandboxRuntime(cache) {
  const dir = path.join(cache, `sandbox-runtime-${RUNTIME}-node-${NODE}`);
  if (!fs.existsSync(dir)) install(dir);
  return {
    node: path.join(dir, "node_modules", NODE_PACKAGE, "bin", "node"),
    module: path.join(dir, "node_modules/@anthropic-ai/sandbox-runtime/dist/index.js"),
  };
}

function install(dir) {
  process.stderr.write(
    "Installing sandbox-runtime and Node 22 into the cache directory; this is done once.\n",
  );
  const made = `${dir}.new`;
  fs.rmSync(made, { recursive: true, force: true });
  fs.mkdirSync(made, { recursive: true });
  const packages = [`@anthropic-ai/sandbox-runtime@${RUNTIME}`, `${NODE_PACKAGE}@${NODE}`];
  const args = ["install", ...FLAGS, "--prefix", made, ...packages];
  execFileSync("npm", args, { cwd: made, stdio: ["ignore", "ignore", "inherit"] });
  fs.renameSync(made, dir);
}
