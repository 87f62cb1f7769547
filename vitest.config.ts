import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SRC = fileURLToPath(new URL("./src/", import.meta.url));
const DIST = fileURLToPath(new URL("./dist/", import.meta.url));

/** A process that is started knows nothing of vitest: what src/ names as its `.js` neighbour is the built one. */
const programsFromDist: Plugin = {
  name: "programs-from-dist",
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

interface Lane {
  readonly name: string;
  readonly include: string[];
  readonly exclude?: string[];
  readonly testTimeout: number;
  /** Files that share a process load each module once; those that give up root, or are killed, have one of their own. */
  readonly isolate: boolean;
}

const lane = (options: Lane) => ({
  plugins: [programsFromDist],
  test: { ...options, hookTimeout: options.testTimeout, pool: "forks" as const },
});

const GIVING_UP_ROOT = ["test/machine/unprivileged-*.test.ts"];

/** Where nothing is known of earlier runs files go by their size, and those of the longest suites are small. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /commands-os|race|crash/.test(path.basename(moduleId));
    // A process is kept for the next file only where that one may share it too.
    const isApart = ({ project }: TestSpecification) => project.config.isolate;
    const rank = (file: TestSpecification) => (isApart(file) ? 0 : 2) + (isLong(file) ? 0 : 1);
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Many tests wait for something: on two cores three files go side by side.
    maxWorkers: Math.max(3, os.availableParallelism() - 1),
    projects: [
      lane({
        name: "fast",
        include: ["src/**/*.test.ts", "test/fast/**/*.test.ts"],
        testTimeout: 20_000,
        isolate: false,
      }),
      lane({
        name: "machine",
        include: ["test/machine/**/*.test.ts"],
        exclude: GIVING_UP_ROOT,
        testTimeout: 180_000,
        isolate: false,
      }),
      lane({ name: "machine-apart", include: GIVING_UP_ROOT, testTimeout: 180_000, isolate: true }),
      lane({ name: "soak", include: ["test/soak/**/*.test.ts"], testTimeout: 3_600_000, isolate: true }),
    ],
  },
});
