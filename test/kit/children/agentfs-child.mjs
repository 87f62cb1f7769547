// agentfs-child.mjs write|read PROJECT STATE_DIR FILE
// Writes a file and a value to a session in mode agentfs with the database FILE.live, and exports it to FILE; or imports
// FILE and FILE.live, and prints both. All with the Node that runs this program.
const [what, workspace, stateDir, file] = process.argv.slice(2);
const { openCell } = await import("../../../dist/index.js");
const { runCli } = await import("../../../dist/doors/cli/main.js");

const major = Number(process.versions.node.split(".")[0]);
const run = (args) => runCli(["session", ...args, "--workspace", workspace, "--state-dir", stateDir]);

if (what === "write") {
  const mode = { fs: "agentfs", database: `${file}.live` };
  const cell = await openCell({ workspace, stateDir, strategy: "clone", ...mode });
  await cell.call({ name: "write_file", arguments: { path: "dir/a.txt", content: "ü".repeat(5000) } });
  await cell.kv.set("node", { major });
  await cell.close();
  process.exitCode = await run(["export", cell.session, file]);
}

if (what === "read")
  for (const from of [file, `${file}.live`]) {
    process.exitCode ||= await run(["import", from]);
    const cell = await openCell({ workspace, stateDir, session: "last" });
    const { output } = await cell.call({ name: "read_file", arguments: { path: "dir/a.txt" } });
    console.log(JSON.stringify({ content: output.content, value: await cell.kv.get("node") }));
    await cell.close();
  }
