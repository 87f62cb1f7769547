import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { IS_ROOT } from "../../kit/is-root.ts";
import { queryFor } from "../../kit/search-query.ts";
import { makeHostWorld } from "../../kit/worlds/host-workspace.ts";

const CHILD = path.join(import.meta.dirname, "../../kit/children/search-mounts-child.mjs");

test.runIf(IS_ROOT)("a file on which one is mounted that gives little at once is searched to its end", () => {
  const { root, stateDir, remove } = makeHostWorld();
  onTestFinished(remove);
  const query = JSON.stringify(queryFor("set there"));
  const args = ["--mount", "--propagation", "private", process.execPath, CHILD, root, stateDir, query];
  const [atOnce, line, found] = JSON.parse(execFileSync("unshare", args, { encoding: "utf8" }));
  expect(atOnce).toBeLessThan(line * 10);
  expect(found).toEqual([line]);
});
