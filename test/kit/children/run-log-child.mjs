// Works on a run: writes each line of standard input as an event, and prints a line when it is in the log. Ends with the input.
// Usage: node run-log-child.mjs DIR RUN
import { createInterface } from "node:readline";
import { openRunLog } from "../../../dist/agent/run-log.js";

const [dir, run] = process.argv.slice(2);
const log = openRunLog(dir, run);
for await (const content of createInterface({ input: process.stdin })) {
  log.append({ kind: "text", content });
  process.stdout.write("written\n");
}
log.close();
