// Every row of paths.jsonl about mount paths or searching: through the tools, and what no tool does through the files
// behind them.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openToolFilesystems } from "../../../src/call/tool-filesystems.ts";
import { openCell } from "../../../src/cell.ts";
import { HotcellError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import type { MountsObservation } from "../../../src/core/types.ts";
import { createProtection } from "../../../src/policy/protected.ts";
import { openFiles } from "../../../src/workspace/open-files.ts";
import { buildWorld, type PathRow, readCorpus, type World } from "../../kit/worlds/path-fixture.ts";

const rows = readCorpus<PathRow>("paths").filter(({ mode }) => mode === "alias");

const TOOLS = new Map<string, (path: string) => { name: string; arguments: JsonObject }>([
  ["read", (at) => ({ name: "fs.read", arguments: { path: at } })],
  ["list", (at) => ({ name: "fs.list", arguments: { path: at } })],
  ["write", (at) => ({ name: "fs.write", arguments: { path: at, content: "W" } })],
]);

describe.each(["host", "overlay"] as const)("paths.jsonl on mounts, with fs %s", (mode) => {
  test.each(rows.map((row) => [row.id, `${row.op} ${row.input.slice(0, 50)}`, row.reason, row] as const))(
    "%s: %s (%s)",
    async (_id, _title, _reason, row) => {
      const world = await buildWorld(row);
      try {
        const before = world.outside();
        const { answer, shown, logs } = await attempt(row, world, mode);
        expect(world.outside()).toBe(before);
        expect(shown).not.toContain("CANARY-OUTSIDE");
        if (row.expected !== "either") expect(acceptable(row)).toContain(answer);
        expect(logs).toBe(true);
      } finally {
        world.remove();
      }
    },
  );
});

/** The log is not in the mount: that nothing is there is as good an answer as a no. */
interface SearchRow extends PathRow {
  readonly args: { readonly pattern: string };
}
const searches = readCorpus<SearchRow>("paths").filter(({ op, cat }) => op === "search" && cat !== "race");

describe.each(["host", "overlay"] as const)("paths.jsonl, searches with fs %s", (mode) => {
  test.each(searches.map((row) => [row.id, row.reason, row] as const))(
    "%s: %s",
    async (_id, _reason, row) => {
      const world = await buildWorld(row);
      const cell = await openCell({ ...optionsOf(world, mode), toolsets: ["sidecar", "mounts"] });
      try {
        const { pattern } = row.args;
        const plain = await cell.call({ name: "search_files", arguments: { pattern } });
        expect(plain).toMatchObject({ success: true, output: { matches: [], truncated: false } });
        const mounted = await cell.call<MountsObservation>({
          name: "fs.search",
          arguments: { path: "@project", pattern },
        });
        expect(mounted).toMatchObject({ ok: true, matches: [], truncated: false });
      } finally {
        await cell.close();
        world.remove();
      }
    },
  );

  test("find what is inside (positive control)", async () => {
    const world = await buildWorld(searches[0]!);
    const cell = await openCell({ ...optionsOf(world, mode), toolsets: ["sidecar"] });
    try {
      const { output } = await cell.call({ name: "search_files", arguments: { pattern: "BENIGN" } });
      expect(output).toMatchObject({ matches: [{ path: "README.md" }, { path: "src/index.js" }] });
    } finally {
      await cell.close();
      world.remove();
    }
  });
});

function acceptable({ expected, policy, tags = [] }: PathRow): string[] {
  const isGoneToo = tags.includes("enoent-also-ok") || policy === "audit-integrity";
  return expected === "deny" && isGoneToo ? ["deny", "enoent"] : [expected];
}

const optionsOf = ({ root, stateDir, top }: World, mode: "host" | "overlay") => ({
  workspace: root,
  stateDir,
  fs: mode,
  run: "row",
  mounts: { pkg: { path: path.join(top, "pkg") } },
});

async function attempt(row: PathRow, world: World, mode: "host" | "overlay") {
  const options = optionsOf(world, mode);
  const cell = await openCell({ ...options, toolsets: ["mounts"], trust: "autonomous" });
  try {
    fillState(world, path.dirname(path.dirname(cell.logFile)));
    const request = TOOLS.get(row.op)?.(world.input);
    const shown = request === undefined ? null : JSON.stringify(await cell.call<MountsObservation>(request));
    if (shown !== null)
      return { answer: answerOf(JSON.parse(shown)), shown, logs: fs.existsSync(cell.logFile) };
  } finally {
    await cell.close();
  }
  return remove(world.input, options);
}

/** What a row puts into the state is there before the call. */
function fillState({ top }: World, runDir: string): void {
  for (const name of fs.readdirSync(path.join(top, "state")))
    fs.cpSync(path.join(top, "state", name), path.join(runDir, "state", name), {
      recursive: true,
      verbatimSymlinks: true,
    });
}

function answerOf(result: MountsObservation): string {
  if (result.ok === true) return "allow";
  const { code } = result.error as { code: string };
  if (code === "ENOENT") return "enoent";
  expect(["E_SANDBOX_VIOLATION", "E_INVALID_ARGUMENTS"]).toContain(code);
  return "deny";
}

async function remove(input: string, options: ReturnType<typeof optionsOf>) {
  const protectionOf = createProtection();
  const files = await openFiles(options, protectionOf);
  const places = openToolFilesystems(options, files, protectionOf);
  try {
    places.of({ naming: "mounts" }).files.remove(input);
    return { answer: "allow", shown: "", logs: true };
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return { answer: error.code === "NOT_FOUND" ? "enoent" : "deny", shown: error.message, logs: true };
  } finally {
    places.close();
    files.close();
  }
}

test("has the rows that this file is about", () => expect([rows.length, searches.length]).toEqual([44, 5]));
