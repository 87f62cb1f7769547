// The measured process. Its arguments are its kind and a project; it runs the operations that it receives.
import fs from "node:fs/promises";
import path from "node:path";
import { openCell } from "../dist/index.js";
import { openFloor } from "./calls-floor.js";

const [kind, project, stateDir] = process.argv.slice(2);
const KINDS = {
  cell: throughCell,
  raw: throughNode,
  floor: () => openFloor(project, stateDir, { anchored: false }),
  anchored: () => openFloor(project, stateDir, { anchored: true }),
};
const run = await KINDS[kind]();

process.on("message", async ({ operation, count }) => {
  for (let done = 0; done < count; done++) await run(operation);
  process.send("done");
});
process.send("ready");

async function throughCell() {
  const cell = await openCell({ workspace: project, stateDir, fs: "host", trust: "autonomous" });
  return async ({ tool, args }) => {
    const { success, error } = await cell.call({ name: tool, arguments: args });
    if (!success) throw new Error(`${tool}: ${error.message}`);
  };
}

function throughNode() {
  const at = (name) => path.join(project, name);
  const list = (args) => fs.readdir(at(args.path), { withFileTypes: true });
  const operations = {
    read: (args) => fs.readFile(at(args.path), "utf8"),
    write: (args) => fs.writeFile(at(args.path), args.content),
    "list names": list,
    "list sizes": async (args) =>
      Promise.all((await list(args)).map(({ name }) => fs.lstat(path.join(at(args.path), name)))),
  };
  return ({ name, args }) => operations[name](args);
}
