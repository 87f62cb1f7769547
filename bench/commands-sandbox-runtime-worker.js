// Runs commands with sandbox-runtime as its README does. Its arguments are the module and a project; each message is the
// number of commands to run.
import { spawn } from "node:child_process";
import { once } from "node:events";

const [module, project] = process.argv.slice(2);
const { SandboxManager } = await import(module);
process.chdir(project);
// No network; only the project can be written.
await SandboxManager.initialize({
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [], allowWrite: ["."], denyWrite: [] },
});
process.on("disconnect", () => SandboxManager.reset());
process.on("message", async (count) => {
  for (let done = 0; done < count; done++) await run();
  process.send({});
});
process.send("ready");

async function run() {
  const line = await SandboxManager.wrapWithSandbox("true");
  const child = spawn(line, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.resume();
  child.stderr.resume();
  const [code] = await once(child, "close");
  SandboxManager.cleanupAfterCommand();
  if (code !== 0) throw new Error(`sandbox-runtime ended with ${code}.`);
}
