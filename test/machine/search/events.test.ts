// The progress events of a long search in a cell.
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { CallEvent } from "../../../src/core/types.ts";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

test("search_files tells how far it is, and an abort ends it there", async () => {
  const { cell, root } = await openTempCell();
  for (let dir = 0; dir < 40; dir++) {
    fs.mkdirSync(path.join(root, `${dir}`));
    for (let at = 0; at < 100; at++) fs.writeFileSync(path.join(root, `${dir}/${at}`), "y\n".repeat(20_000));
  }
  const told: CallEvent[] = [];
  const cancel = new AbortController();
  const { error, meta } = await cell.call(
    { name: "search_files", arguments: { pattern: "[x-z]{3}", regex: true } },
    {
      signal: cancel.signal,
      onEvent(event) {
        if (event.kind !== "progress") return;
        told.push(event);
        cancel.abort();
      },
    },
  );
  expect(error?.code).toBe("CANCELLED");
  expect(told).toEqual([
    { kind: "progress", callId: meta.callId, tool: "search_files", files: expect.any(Number), matches: 0 },
  ]);
});
