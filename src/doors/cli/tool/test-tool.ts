import fs from "node:fs";
import path from "node:path";
import { type ExitCode, type Io, printLines, usage } from "../io.ts";
import { runCase } from "./run-case.ts";

/** Runs the cases of the folder. */
export async function testTool(io: Io, dir: string): Promise<ExitCode> {
  const folder = path.resolve(io.cwd, dir);
  const cases = path.join(folder, "cases");
  const names = fs.existsSync(cases) ? fs.readdirSync(cases).filter((name) => name.endsWith(".json")) : [];
  if (names.length === 0)
    throw usage(`Could not test the tool: it has no cases. Write one: ${path.join(dir, "cases/NAME.json")}.`);
  let failed = 0;
  for (const name of names.sort()) {
    const problem = await runCase(folder, path.join(cases, name));
    const lines = problem === null ? [`ok      ${name}`] : `FAILED  ${name}: ${problem}`.split("\n");
    printLines(io, ...lines);
    if (problem !== null) failed++;
  }
  printLines(io, `${names.length - failed} of ${names.length} passed`);
  return failed === 0 ? 0 : 1;
}
