// An MCP client that calls one tool and waits for the answer. Its parent kills it meanwhile. Where it starts the server
// itself, it prints the server's process id.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const { era, name, args, http, stdio } = JSON.parse(process.argv[2]);
const mode = era === "2025-11-25" ? "legacy" : { pin: era };
const client = new Client({ name: "child", version: "1.0.0" }, { versionNegotiation: { mode } });
const transport = http
  ? new StreamableHTTPClientTransport(new URL(http.url), {
      requestInit: { headers: { authorization: `Bearer ${http.token}` } },
    })
  : new StdioClientTransport({ ...stdio, env: process.env, stderr: "ignore" });
await client.connect(transport);
if (stdio) console.log(transport.pid);
await client.callTool({ name, arguments: args });
