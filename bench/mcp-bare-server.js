// The least that an MCP server of the same SDK can be: the same work by node:fs, without checks, session and log.
import fs from "node:fs/promises";
import path from "node:path";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [project] = process.argv.slice(2);
const at = (name) => path.join(project, name);

const TOOLS = {
  read_file: ({ path: name }) => fs.readFile(at(name), "utf8"),
  async write_file({ path: name, content }) {
    await fs.writeFile(at(name), content);
    return "ok";
  },
  async list_directory({ path: name }) {
    const names = await fs.readdir(at(name));
    const sizes = await Promise.all(
      names.map(async (each) => (await fs.lstat(path.join(at(name), each))).size),
    );
    return names.map((each, index) => `${each} ${sizes[index]}`).join("\n");
  },
  async search_files({ pattern, path: name }) {
    const found = [];
    for (const each of await fs.readdir(at(name))) {
      const lines = (await fs.readFile(path.join(at(name), each), "utf8")).split("\n");
      for (const [index, line] of lines.entries())
        if (line.includes(pattern)) found.push(`${each}:${index + 1}: ${line}`);
    }
    return found.join("\n");
  },
};

serveStdio(() => {
  const server = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } });
  const inputSchema = { type: "object", properties: {} };
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema })),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => ({
    content: [{ type: "text", text: await TOOLS[params.name](params.arguments) }],
  }));
  return server;
});
