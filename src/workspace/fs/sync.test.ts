import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MEMORY_DIR } from "../../../test/kit/memory-dir.ts";
import { NOT_FOR_DIRECTORIES, syncMany, type ToSync, withSyncing } from "./sync.ts";

let dir: string;
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(MEMORY_DIR, "hotcell-sync-"));
});
afterEach(() => fs.rmSync(dir, { recursive: true }));

/** The system has no sync for a device. */
const openUnsyncable = (): number => fs.openSync("/dev/null", "r");

function files(count: number, opened: string[]): ToSync[] {
  return Array.from({ length: count }, (_, index) => ({
    action: "stage",
    path: `f${index}`,
    open() {
      opened.push(`f${index}`);
      return fs.openSync(`${dir}/f${index}`, "w");
    },
  }));
}

test.each([1, 3, 4, 50])("all of %d files are synced, and none stays open", async (count) => {
  const before = openDescriptors();
  const opened: string[] = [];
  await syncMany(files(count, opened));
  expect(opened).toHaveLength(count);
  expect(openDescriptors()).toEqual(before);
});

test.each([2, 50])("one of %d files that can't be synced fails all, by its path", async (count) => {
  const before = openDescriptors();
  const all = files(count, []);
  const failing = { action: "stage", path: "bad", open: openUnsyncable };
  await expect(syncMany([failing, ...all])).rejects.toMatchObject({
    code: "EXECUTION_ERROR",
    message: 'Could not stage "bad": the system refused (EINVAL).',
  });
  expect(openDescriptors()).toEqual(before);
});

test.each([0, 50])("what may be refused without harm does not hold up %d others", async (count) => {
  const opened: string[] = [];
  const harmless = { action: "sync", path: "d", ignored: NOT_FOR_DIRECTORIES, open: openUnsyncable };
  const missing = { action: "sync", path: "gone", open: () => null };
  await syncMany([harmless, missing, ...files(count, opened)]);
  expect(opened).toHaveLength(count);
});

test.each([2, 50])("%d files are synced when the work that wrote them resolves", async (count) => {
  const before = openDescriptors();
  const opened: string[] = [];
  await withSyncing(count, async (sync) => {
    for (const next of files(count, opened)) await sync(next);
  });
  expect(opened).toHaveLength(count);
  expect(openDescriptors()).toEqual(before);
});

test.each([2, 50])(
  "work that fails waits for the syncs of its %d files, and its error is thrown",
  async (count) => {
    const before = openDescriptors();
    const failing = withSyncing(count, async (sync) => {
      for (const next of files(count, [])) await sync(next);
      sync({ action: "stage", path: "bad", open: openUnsyncable });
      throw new Error("the disk is gone");
    });
    await expect(failing).rejects.toThrow("the disk is gone");
    expect(openDescriptors()).toEqual(before);
  },
);

test("nothing more is made once a sync has failed", async () => {
  const opened: string[] = [];
  const working = withSyncing(100, async (sync) => {
    await sync({ action: "stage", path: "bad", open: openUnsyncable });
    for (const next of files(100, opened)) await sync(next);
  });
  await expect(working).rejects.toThrow('Could not stage "bad"');
  expect(opened.length).toBeLessThan(100);
});

function openDescriptors(): string[] {
  const targetOf = (fd: string) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  };
  return fs
    .readdirSync("/proc/self/fd")
    .map(targetOf)
    .filter((target) => target.startsWith(dir) || target === "/dev/null");
}
