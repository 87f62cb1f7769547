// Creates a session for a project, writes and commits in it, and prints one line with the result of each step.
// Usage: node session-create.mjs PROJECT STATE_DIR [STRATEGY]
import { createProtection } from "../../../dist/policy/protected.js";
import { createSession } from "../../../dist/workspace/session/create-session.js";

const [project, stateDir, strategy] = process.argv.slice(2);

async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    return `${error.code}: ${error.message}`;
  }
}

const created = await attempt(async () => {
  const options = { stateDir, protectionOf: createProtection(), ...(strategy && { strategy }) };
  const session = await createSession(project, options);
  const seen = Array.from(session.workspace.walk("."), ({ path }) => path);
  const written = await attempt(() => session.workspace.write("d/new", "new").path);
  const committed = await attempt(async () => (await session.commit()).committed);
  session.close();
  return { strategy: session.record.strategy, seen, written, committed };
});
console.log(JSON.stringify(created));
