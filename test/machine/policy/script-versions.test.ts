import { hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";

test.each([
  ["./link/../run.sh", "d/run.sh"],
  ["cd link && ../run.sh", "d/run.sh"],
  ["cd link/.. && ./run.sh", "run.sh"],
])("the question of %j names %j, which it runs, if link leads to d/e", async (command, script) => {
  const shown: (string | null)[] = [];
  const { cell, root } = await openTempCell(
    { onAsk: ({ preview }) => shown.push(preview) > 0 },
    { "run.sh": "echo run.sh\n", "d/run.sh": "echo d/run.sh\n", "d/e/x": "" },
  );
  for (const at of ["run.sh", "d/run.sh"]) fs.chmodSync(path.join(root, at), 0o755);
  fs.symlinkSync("d/e", path.join(root, "link"));
  const { output } = await cell.call({ name: "run_command", arguments: { command } });
  expect(output).toMatchObject({ stdout: `${script}\n` });
  const version = hash("sha256", `echo ${script}\n`, "hex");
  expect(shown[0]).toContain(`runs "${script}": sha256 ${version}`);
});
