import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";

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

export default defineConfig({
  test: {
    // Many tests wait for something: on two cores three files go side by side.
    maxWorkers: Math.max(3, os.availableParallelism() - 1),
    projects: [
      lane("fast", ["src/**/*.test.ts", "test/fast/**/*.test.ts"], 20_000, false),
      lane("machine", ["test/machine/**/*.test.ts"], 180_000, true),
      lane("soak", ["test/soak/**/*.test.ts"], 3_600_000, true),
    ],
  },
});
