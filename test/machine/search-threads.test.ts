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

function openWorkspace(): WorkspaceFS {
  const { root, open, remove } = makeHostWorld();
  fs.writeFileSync(`${root}/f`, "x");
  const workspace = open();
  onTestFinished(() => {
    workspace.close();
    remove();
  });
  return workspace;
}

async function searched(): Promise<WorkspaceFS> {
  const workspace = openWorkspace();
  const query = queryFor("x", { regex: true });
  await Promise.all(["f", ".", "f", "."].map((path) => workspace.search(path, query)));
  expect(threads()).toBeGreaterThan(without);
  expect(threads()).toBeLessThanOrEqual(without + 2);
  return workspace;
}

test("what is found at once needs no thread", async () => {
  const workspace = openWorkspace();
  // On a busy machine little is found at once: then it is tried again, when the threads have ended.
  await vi.waitFor(async () => {
    expect(threads()).toBe(without);
    const { matches } = await workspace.search(".", queryFor("x"));
    expect([matches.length, threads()]).toEqual([1, without]);
  }, PATIENCE);
});

test("a search starts two threads at most, which end with the workspace", async () => {
  (await searched()).close();
  await vi.waitFor(() => expect(threads()).toBe(without), PATIENCE);
});

test("the threads of a search end when there was none for a while", async () => {
  await searched();
  await vi.waitFor(() => expect(threads()).toBe(without), PATIENCE);
});
