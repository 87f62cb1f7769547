// Runs or resumes an agent. Each call of `mark` appends one line to a file outside the session; the script has calls of
// write_file and run_command, too. The test kills it at some time. At the end it prints the lines that commands appended.
// A call takes some time after its effect, so that kills come in calls. A call with the number `stuck` never ends.
import { appendFileSync } from "node:fs";
import { setInterval, setTimeout } from "node:timers/promises";
import { openModel, runAgent } from "../../../dist/agent.js";
import { defineTool, openCell } from "../../../dist/index.js";

const [workspace, stateDir, script, marks, stuck, run] = process.argv.slice(2);
const mark = defineTool({
  name: "mark",
  description: "Leaves a line.",
  input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
  needs: ["workspace"],
  async run({ n }, { workspace: files }) {
    appendFileSync(marks, `${n}\n`);
    files.write(`marks/${n}`, `${n}\n`);
    if (String(n) === stuck) {
      console.log("stuck");
      for await (const _ of setInterval(1000));
    }
    await setTimeout(5);
    return { n };
  },
});
const cell = await openCell({ workspace, stateDir, run: "agent", trust: "autonomous", tools: [mark] });
const model = openModel({ model: `scripted/${script}` });
const start = run === undefined ? { messages: [{ role: "user", content: "go" }] } : { run };
for await (const event of runAgent({ cell, model, ...start })) {
  if (event.kind === "run.start") console.log(event.run);
  if (event.kind === "run.end") console.log(event.stop);
}
const { output } = await cell.call({ name: "read_file", arguments: { path: "ran" } });
console.log(`ran ${JSON.stringify(output?.content ?? "")}`);
await cell.close();
