// Reads a database as a program that uses agentfs-sdk does.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { AgentFS } from "agentfs-sdk";

/** The content of each file in the database, by path. Reads everything else too. The SDK gets a copy: it may change what it opens. */
export async function readBySdk(file: string): Promise<Record<string, string>> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-sdk-"));
  const copy = path.join(dir, "copy.db");
  try {
    execFileSync("cp", [file, copy]);
    if (fs.existsSync(`${file}-wal`)) execFileSync("cp", [`${file}-wal`, `${copy}-wal`]);
    const agent = await AgentFS.open({ path: copy });
    try {
      await agent.kv.list("");
      await agent.tools.getRecent(0);
      return Object.fromEntries(await filesBelow(agent, ""));
    } finally {
      await agent.close();
    }
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

async function filesBelow(agent: AgentFS, dir: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const name of await agent.fs.readdir(`/${dir}`)) {
    const at = dir === "" ? name : `${dir}/${name}`;
    const stat = await agent.fs.lstat(`/${at}`);
    if (stat.isDirectory()) found.push(...(await filesBelow(agent, at)));
    else if (stat.isSymbolicLink()) await agent.fs.readlink(`/${at}`);
    else found.push([at, await agent.fs.readFile(`/${at}`, "latin1")]);
  }
  return found;
}
