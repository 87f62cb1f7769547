// A kept cell whose commands go on after their call.
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openCell } from "../../../src/cell.ts";
import { keepCell } from "../../../src/cells.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

test("an idle cell keeps its session while a background process runs, and releases it afterwards", async () => {
  const top = tempDir();
  const workspace = path.join(top, "ws");
  const stateDir = path.join(top, "state");
  fs.mkdirSync(workspace);
  const kept = keepCell({ workspace, stateDir, rules: ["allow run_command"] }, 1);
  onTestFinished(() => kept.close());
  const request = {
    name: "run_command",
    arguments: { command: "touch made; sleep 600", background: true },
  } as const;
  const { meta, output } = await kept.use((cell) => cell.call(request));
  const canOpen = () =>
    openCell({ stateDir, session: meta.session!, waitMs: 1 }).then(
      (opened) => opened.close().then(() => true),
      () => false,
    );
  for (let look = 0; look < 5; look++) expect(await canOpen()).toBe(false);
  await kept.use((cell) => cell.processes.stop(output!.process_id));
  await expect.poll(canOpen, { timeout: 30_000 }).toBe(true);
});
