// What was cut from an observation can be read on as the file artifact:ID.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { observationText } from "../../../src/call/observation-text.ts";
import type { Cell, CellOptions } from "../../../src/cell.ts";
import type { CallEvent } from "../../../src/core/types.ts";
import { inlineTool } from "../../../src/tools/configured/inline-tool.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

const SECRET = "s3cret-7f1c-value";
const MANY_LINES = "seq 1 100000";

const open = (options: Partial<CellOptions> = {}) =>
  openTempCell({ fs: "overlay", trust: "autonomous", ...options }, { "a.txt": "a\n" });

/** The path that the model is told. */
async function cutPath(cell: Cell, name = "run_command", args: object = { command: MANY_LINES }) {
  const text = observationText(await cell.call({ name, arguments: args as never }));
  return /artifact:[0-9a-f]{64}/.exec(text)![0];
}

const call = (cell: Cell, name: string, args: object) => cell.call({ name, arguments: args as never });

describe("an artifact", () => {
  test.each(["coding", "sidecar"])(
    "is read by lines and searched, where the result was cut: %s",
    async (toolset) => {
      const { cell } = await open({ toolsets: [toolset] });
      const at = await cutPath(cell);
      const read = await call(cell, "read_file", { path: at, start_line: 50_000, end_line: 50_001 });
      expect(read.output).toMatchObject({ path: at, content: "50000\t50000\n50001\t50001", lines: 100_000 });
      const found = await call(cell, "search_files", { pattern: "^77777$", regex: true, path: at });
      expect(found.output).toMatchObject({ matches: [{ path: at, line: 77_777, text: "77777" }] });
    },
  );

  test("is read by the tools of mounts and studio, too", async () => {
    const { cell } = await open({ toolsets: ["coding", "mounts", "studio"] });
    const at = await cutPath(cell);
    const read = await call(cell, "fs.read", { path: at, startLine: 50_000, endLine: 50_000 });
    expect(read).toMatchObject({ ok: true, content: "50000" });
    expect(await call(cell, "file_read", { path: at })).toMatchObject({ isError: false });
  });

  test("on the host belongs to the cell's log", async () => {
    const { cell } = await open({ fs: "host" });
    const at = await cutPath(cell);
    expect((await call(cell, "read_file", { path: at, start_line: 7, end_line: 7 })).success).toBe(true);
  });

  test("of another session can't be read", async () => {
    const one = await open();
    const at = await cutPath(one.cell);
    const two = await open({ stateDir: one.stateDir });
    expect(two.cell.session).not.toBe(one.cell.session);
    expect(await call(two.cell, "read_file", { path: at })).toMatchObject({ error: { code: "NOT_FOUND" } });
    expect((await call(one.cell, "read_file", { path: at })).success).toBe(true);
  });

  test("can't be written, edited or left for something else of the log", async () => {
    const { cell, root } = await open();
    const at = await cutPath(cell);
    for (const [name, args] of [
      ["write_file", { path: at, content: "x" }],
      ["edit_file", { path: at, edits: [{ old_text: "1", new_text: "2" }] }],
    ] as const)
      expect(await call(cell, name, args)).toMatchObject({ error: { code: "PROTECTED_PATH" } });
    for (const other of [`${at}/../../execution.jsonl`, "artifact:../execution.jsonl", "artifact:unfinished"])
      expect((await call(cell, "read_file", { path: other })).success).toBe(false);
    expect(fs.readdirSync(root)).toEqual(["a.txt"]);
  });

  test("is judged by rules and the trust level like a file", async () => {
    const { cell } = await open({ rules: ["deny read_file(artifact:*)"] });
    const at = await cutPath(cell);
    expect(await call(cell, "read_file", { path: at })).toMatchObject({ error: { code: "DENIED" } });
  });

  test("has no secret of a configured tool, nor has the live output, wherever the secret is in it", async () => {
    const script = `for i in $(seq 1 30000); do echo "$i $API_TOKEN"; done`;
    const tool = inlineTool({
      name: "flood",
      description: "Floods.",
      interpreter: "bash",
      script,
      secrets: { API_TOKEN: SECRET },
    });
    const { cell } = await open({ tools: [tool] });
    const events: CallEvent[] = [];
    const { meta } = await cell.call(
      { name: "flood", arguments: {} },
      { onEvent: (event) => void events.push(event) },
    );
    const kept = fs.readFileSync(path.join(path.dirname(cell.logFile), "artifacts", meta.artifact!), "utf8");
    expect(kept.split("\n").slice(0, -1)).toEqual(
      Array.from({ length: 30_000 }, (_, at) => `${at + 1} [redacted]`),
    );
    const live = events.flatMap((event) => (event.kind === "output" ? [Buffer.from(event.bytes)] : []));
    expect(Buffer.concat(live).toString()).toBe(kept);
    const read = await call(cell, "read_file", {
      path: `artifact:${meta.artifact}`,
      start_line: 15_000,
      end_line: 15_000,
    });
    expect(read.output).toMatchObject({ content: "15000\t15000 [redacted]" });
  });
});
