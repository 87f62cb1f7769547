// `npm run bench -- NAME [--json]`: each subject compares hotcell with others, side by side, in one run.
import { existsSync } from "node:fs";

const SUBJECTS = new Map([
  ["calls", () => import("./calls.js")],
  ["sessions", () => import("./sessions.js")],
  ["commands", () => import("./commands.js")],
  ["search", () => import("./search.js")],
  ["net", () => import("./net.js")],
  ["loop", () => import("./loop.js")],
  ["mcp", () => import("./mcp.js")],
  ["server", () => import("./server.js")],
  ["run", () => import("./run-program.js")],
  ["agentfs", () => import("./agentfs.js")],
  ["wasm", () => import("./wasm.js")],
]);

const USAGE = `Usage: npm run bench -- NAME [--json]\nNAME is one of: ${[...SUBJECTS.keys()].join(", ")}\n`;

const args = process.argv.slice(2);
const json = args.includes("--json");
const [name, ...more] = args.filter((arg) => arg !== "--json");
const load = SUBJECTS.get(name);

if (name === undefined) {
  process.stdout.write(USAGE);
} else if (load === undefined || more.length > 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if (!existsSync(new URL("../dist/index.js", import.meta.url))) {
  process.stderr.write("hotcell is not built yet. Run: npm run build\n");
  process.exitCode = 2;
} else {
  const { measure, format } = await load();
  const report = await measure();
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : format(report));
}
