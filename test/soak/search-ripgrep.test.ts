// In the tree of the benchmarks: 65,000 files of well-known packages. It is made once, by npm, in the user's cache directory.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { ripgrepSuite } from "../kit/ripgrep-suite.ts";

// Benchmarks have no types.
const BENCH = "../../bench/sessions-tree.js";
const { dir, home } = (await import(BENCH)).openTree();
ripgrepSuite((directory) => {
  execFileSync("cp", ["-al", path.join(dir, "node_modules"), directory]);
}, home);
