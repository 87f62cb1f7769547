// In a file, and so in a process, of their own: threads are counted.
import fs from "node:fs";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { WorkspaceFS } from "../../src/workspace/workspace-fs.ts";
import { makeHostWorld } from "../kit/host-workspace.ts";
import { queryFor } from "../kit/search-query.ts";

const PATIENCE = { timeout: 60_000 };
const threads = (): number => fs.readdirSync("/proc/self/task").length;

let without: number;
beforeAll(() => {
  without = threads();
});

async function searched(): Promise<WorkspaceFS> {
  const { root, open, remove } = makeHostWorld();
  fs.writeFileSync(`${root}/f`, "x");
  const workspace = open();
  onTestFinished(() => {
    workspace.close();
    remove();
  });
  await Promise.all(["f", ".", "f", "."].map((path) => workspace.search(path, queryFor("x"))));
  expect(threads()).toBeGreaterThan(without);
  expect(threads()).toBeLessThanOrEqual(without + 2);
  return workspace;
}

test("a search starts two threads at most, which end with the workspace", async () => {
  (await searched()).close();
  await vi.waitFor(() => expect(threads()).toBe(without), PATIENCE);
});

test("the threads of a search end when there was none for a while", async () => {
  await searched();
  await vi.waitFor(() => expect(threads()).toBe(without), PATIENCE);
});
