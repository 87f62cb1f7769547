import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SRC = fileURLToPath(new URL("./src/", import.meta.url));
const DIST = fileURLToPath(new URL("./dist/", import.meta.url));

/** Child processes run without vitest, so a `.js` file that src/ names resolves to the built file. */
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
  /** Files that share a process load each module once. Files that may be killed have a separate process. */
  readonly isolate: boolean;
  readonly setupFiles?: string[];
}

const lane = (options: Lane) => ({
  plugins: [programsFromDist],
  test: {
    ...options,
    hookTimeout: options.testTimeout,
    pool: "forks" as const,
    globalSetup: ["test/kit/check-build.ts"],
  },
});

/** As root, these files of test/machine also run as an ordinary user. CI runs all others as an ordinary user afterwards. */
const RIGHTS_MATTER_IN = {
  network: ["egress", "killed"],
  overlay: ["clone-closed", "layers", "mask"],
  secrets: ["read-only-paths", "tracked-secrets"],
  session: ["closed", "forgery", "group-project", "read-only"],
  shield: [
    "commands",
    "commands-os",
    "developer",
    "hostile-project",
    "landlock",
    "landlock-tier",
    "sandbox-pool",
    "unix-sockets",
  ],
  tools: ["across-tools"],
};
export const AS_USER_TOO = Object.entries(RIGHTS_MATTER_IN).flatMap(([folder, names]) =>
  names.map((name) => `test/machine/${folder}/${name}.test.ts`),
);

/** Without a cache of earlier runs, vitest orders files by size, and the files of the longest suites are small. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /commands-os|race|crash/.test(path.basename(moduleId));
    // Vitest reuses a process only for a file of the same project.
    const isAsUser = ({ project }: TestSpecification) => project.name === "machine-as-user";
    const rank = (file: TestSpecification) => (isAsUser(file) ? 0 : 2) + (isLong(file) ? 0 : 1);
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Many tests wait, so three files run in parallel on two cores.
    maxWorkers: Math.max(3, os.availableParallelism() - 1),
    projects: [
      lane({
        name: "fast",
        include: ["src/**/*.test.ts", "test/fast/**/*.test.ts"],
        testTimeout: 60_000,
        isolate: false,
        setupFiles: ["test/kit/hide-bubblewrap.ts"],
      }),
      lane({
        name: "machine",
        include: ["test/machine/**/*.test.ts"],
        exclude: process.getuid?.() === 0 ? [] : AS_USER_TOO,
        testTimeout: 180_000,
        isolate: false,
      }),
      lane({
        name: "machine-as-user",
        include: AS_USER_TOO,
        setupFiles: ["test/kit/become-user.ts"],
        testTimeout: 180_000,
        isolate: false,
      }),
      lane({
        name: "clients",
        include: ["test/clients/**/*.test.ts"],
        testTimeout: 600_000,
        isolate: false,
      }),
      lane({ name: "soak", include: ["test/soak/**/*.test.ts"], testTimeout: 3_600_000, isolate: true }),
    ],
  },
});
