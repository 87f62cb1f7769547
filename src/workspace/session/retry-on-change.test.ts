import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type SessionRecord, sessionDir, writeRecord } from "../layers/record.ts";
import { makeSession } from "../layers/session-dirs.ts";
import { checkpointRecord, newRecord } from "../layers/stack.ts";
import { retryOnChange } from "./retry-on-change.ts";

const gone = new Error("a layer is gone");

/** `change` is the work of another process. */
function makeWorld(): { readonly stateDir: string; change(): void } {
  const stateDir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-steady-"));
  onTestFinished(() => fs.rmSync(stateDir, { recursive: true }));
  let record = newRecord("one", "/project", "kernel", 0);
  makeSession(record, stateDir);
  return {
    stateDir,
    change() {
      record = checkpointRecord(record, null, false, 0);
      writeRecord(sessionDir(stateDir, "one"), record);
    },
  };
}

test("what fails is tried again with the layers that the session has come to have", async () => {
  const { stateDir, change } = makeWorld();
  const look = ({ stack }: SessionRecord) => {
    if (stack.length > 1) return stack.length;
    change();
    throw gone;
  };
  expect(await retryOnChange("one", stateDir, look)).toBe(2);
});

test("an error on an unchanged session is thrown as it is, at once", async () => {
  const { stateDir } = makeWorld();
  let looks = 0;
  const look = () => {
    looks++;
    throw gone;
  };
  await expect(retryOnChange("one", stateDir, look)).rejects.toBe(gone);
  expect(looks).toBe(1);
});

test("a session that never rests is said to be in use", async () => {
  const { stateDir, change } = makeWorld();
  const look = () => {
    change();
    throw gone;
  };
  await expect(retryOnChange("one", stateDir, look)).rejects.toMatchObject({ code: "LOCKED" });
});

test("a session that was removed meanwhile is not found", async () => {
  const { stateDir } = makeWorld();
  const look = () => {
    fs.rmSync(sessionDir(stateDir, "one"), { recursive: true });
    throw gone;
  };
  await expect(retryOnChange("one", stateDir, look)).rejects.toMatchObject({ code: "NOT_FOUND" });
});
