import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type Cell, type CellOptions, openCell } from "../../../src/cell.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { removeTree } from "../remove-tree.ts";

export interface TempCell {
  readonly cell: Cell;
  readonly root: string;
  readonly stateDir: string;
  /** The records of the cell's log. */
  records(): JsonObject[];
}

/** A cell on a new directory with these files. Both are removed when the test ends. */
export async function openTempCell(
  options: Partial<CellOptions> = {},
  files: Readonly<Record<string, string>> = {},
  parent?: string,
): Promise<TempCell> {
  const top = tempDir(parent);
  const root = path.join(top, "ws");
  const stateDir = path.join(top, "state");
  fs.mkdirSync(root);
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
  const cell = await openCell({ workspace: root, stateDir, fs: "host", ...options });
  onTestFinished(() => cell.close());
  return { cell, root, stateDir, records: () => readRecords(cell.logFile) };
}

export function tempDir(parent = os.tmpdir()): string {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(parent, "hotcell-test-")));
  onTestFinished(() => removeTree(dir));
  return dir;
}

function readRecords(logFile: string): JsonObject[] {
  if (!fs.existsSync(logFile)) return [];
  const text = fs.readFileSync(logFile, "utf8").trimEnd();
  return text === "" ? [] : text.split("\n").map((line) => JSON.parse(line) as JsonObject);
}
