// agentfs-values-child.mjs SESSION STATE_DIR
// Sets the value n to 1, 2, 3 and so on in a session, and prints each number that is set, until it is killed.
import fs from "node:fs";
import { openCell } from "../../../dist/index.js";

const [session, stateDir] = process.argv.slice(2);
const cell = await openCell({ session, stateDir });
for (let n = ((await cell.kv.get("n")) ?? 0) + 1; ; n++) {
  await cell.kv.set("n", n);
  fs.writeSync(1, `${n}\n`);
  if (n % 3 === 0) await cell.call({ name: "write_file", arguments: { path: "n", content: String(n) } });
}
