// Search workers, sandboxes and the command line run from dist/: a test run must not test an older build.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { TestProject } from "vitest/node";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** Written at the end of a build. */
const LAST_BUILT = "dist/config/config.schema.json";

export default function checkBuild(project: TestProject): void {
  const newer = findNewerSource(ROOT);
  if (newer !== null)
    throw new Error(`Could not test: dist/ is older than ${newer}. Run npm run build, then try again.`);
  project.onTestsRerun(() => {
    if (findNewerSource(ROOT) !== null) execFileSync("npm", ["run", "build"], { cwd: ROOT, stdio: "ignore" });
  });
}

/** A source file that was changed after the last build; null if there is none. */
export function findNewerSource(root: string): string | null {
  const built = fs.statSync(path.join(root, LAST_BUILT), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const names = fs.readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" });
  const sources = names.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const newer = sources.find((name) => fs.statSync(path.join(root, "src", name)).mtimeMs > built);
  return newer === undefined ? null : `src/${newer}`;
}
