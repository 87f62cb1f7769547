import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SRC = fileURLToPath(new URL("./src/", import.meta.url));
const DIST = fileURLToPath(new URL("./dist/", import.meta.url));

/** A worker thread knows nothing of vitest: what src/ names as its `.js` neighbour is the built one. */
const workersFromDist: Plugin = {
  name: "workers-from-dist",
  enforce: "pre",
  transform(code, id) {
    const [file = ""] = id.split("?");
    if (!file.startsWith(SRC) || file.endsWith(".test.ts")) return null;
    const dir = path.join(DIST, path.dirname(path.relative(SRC, file)));
    const built = (target: string) => JSON.stringify(pathToFileURL(path.join(dir, target)).href);
    return code.replace(
      /new URL\("(\.[^"]+\.js)", import\.meta\.url\)/g,
      (_, target: string) => `new URL(${built(target)})`,
    );
  },
};

/** Files that share a process load each module once; those that give up root, or are killed, have one of their own. */
const lane = (name: string, include: string[], testTimeout: number, isolate: boolean) => ({
  plugins: [workersFromDist],
  test: { name, include, testTimeout, hookTimeout: testTimeout, isolate, pool: "forks" as const },
});

/** Where nothing is known of earlier runs files go by their size, and those of the longest suites are small. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /commands-os|race|crash/.test(path.basename(moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Many tests wait for something: on two cores three files go side by side.
    maxWorkers: Math.max(3, os.availableParallelism() - 1),
    projects: [
      lane("fast", ["src/**/*.test.ts", "test/fast/**/*.test.ts"], 20_000, false),
      lane("machine", ["test/machine/**/*.test.ts"], 180_000, true),
      lane("soak", ["test/soak/**/*.test.ts"], 3_600_000, true),
    ],
  },
});
