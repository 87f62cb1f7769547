// Every row of paths.jsonl that needs no mounts, search or attacker, against WorkspaceFS in mode host.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import { createProtection } from "../../../src/policy/protected.ts";
import { openHostWorkspace } from "../../../src/workspace/directory/host.ts";
import { openStateDir } from "../../../src/workspace/files/state-dir.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import { asNobody } from "../../kit/as-nobody.ts";
import { buildWorld, type PathRow, readCorpus, type World } from "../../kit/worlds/path-fixture.ts";

const MAX_READ_BYTES = 50_000;
const MAX_ENTRIES = 200;

const rows = readCorpus<PathRow>("paths").filter(
  ({ cat, mode, op }) => cat !== "race" && mode === "rel" && op !== "search",
);

interface Answer {
  readonly out: "allow" | "deny" | "enoent";
  readonly shown: string;
  readonly truncated: boolean;
}

describe("paths.jsonl", () => {
  test("has the rows that this file is about", () => expect(rows.length).toBeGreaterThan(160));

  test.each(rows.map((row) => [row.id, titleOf(row), row] as const))("%s: %s", async (_id, _title, row) => {
    const world = await buildWorld(row);
    try {
      const before = world.outside();
      const answer = row.tags?.includes("non-root")
        ? asNobody([world.root], () => attempt(row, world))
        : attempt(row, world);
      expect(world.outside()).toBe(before);
      expect(answer.shown).not.toContain("CANARY-OUTSIDE");
      expect(acceptable(row)).toContain(answer.out);
      if (row.post === "truncated") expect(answer.truncated).toBe(true);
      if (row.post === "bounded") expect(answer.shown.length).toBeLessThanOrEqual(MAX_READ_BYTES);
    } finally {
      world.remove();
    }
  });
});

function titleOf({ op, input, reason, expected }: PathRow): string {
  return `${op} ${JSON.stringify(input.slice(0, 60))} (${reason}) is ${expected}`;
}

function acceptable({ expected, tags = [] }: PathRow): string[] {
  if (expected === "either") return ["allow", "deny", "enoent"];
  if (expected === "deny") return ["deny", "enoent", ...(tags.includes("replace-also-ok") ? ["allow"] : [])];
  if (expected === "enoent") return ["enoent", ...(tags.includes("deny-also-ok") ? ["deny"] : [])];
  return [expected];
}

function attempt(row: PathRow, world: World): Answer {
  const stateDir = openStateDir(world.stateDir, world.root);
  const workspace = openHostWorkspace({ workspace: world.root, stateDir, protectionOf: createProtection() });
  try {
    return { out: "allow", ...operate(row, world.input, workspace) };
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return { out: error.code === "NOT_FOUND" ? "enoent" : "deny", shown: error.message, truncated: false };
  } finally {
    workspace.close();
  }
}

function operate(row: PathRow, input: string, workspace: WorkspaceFS): Omit<Answer, "out"> {
  if (row.op === "read") {
    const { size } = workspace.stat(input);
    return {
      shown: workspace.read(input, { maxBytes: MAX_READ_BYTES }).toString("latin1"),
      truncated: size > MAX_READ_BYTES,
    };
  }
  if (row.op === "list") {
    const { entries, total } = workspace.list(input, { limit: MAX_ENTRIES });
    return { shown: JSON.stringify(entries), truncated: total > entries.length };
  }
  if (row.op === "write") workspace.write(input, "W");
  if (row.op === "delete") workspace.remove(input, { recursive: row.tags?.includes("recursive") ?? false });
  if (row.op === "mkdir") workspace.mkdir(input);
  return { shown: "", truncated: false };
}

test("the check-then-open of a naive reader leaks what these rows refuse (positive control)", async () => {
  const row = rows.find(({ id }) => id === "path-158")!;
  const world = await buildWorld(row);
  try {
    expect(fs.readFileSync(`${world.root}/${world.input}`, "utf8")).toBe("CANARY-OUTSIDE\n");
  } finally {
    world.remove();
  }
});
