import { defineConfig } from "vitest/config";

const lane = (name: string, include: string[], testTimeout: number) => ({
  test: { name, include, testTimeout, hookTimeout: testTimeout, pool: "forks" as const },
});

export default defineConfig({
  test: {
    projects: [
      lane("fast", ["src/**/*.test.ts", "test/fast/**/*.test.ts"], 20_000),
      lane("machine", ["test/machine/**/*.test.ts"], 180_000),
      lane("soak", ["test/soak/**/*.test.ts"], 3_600_000),
    ],
  },
});
