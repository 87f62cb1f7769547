// A model's endpoint on loopback that plays a script. Results in a request say which turn is next, because clients also send
// requests beside the conversation.
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { findWire, type ScriptedMessage, type ScriptedTurn } from "./scripted-wires.ts";

export interface ScriptedEndpoint {
  readonly port: number;
  /** The address for clients of OpenAI. */
  readonly url: string;
  /** What the client sent: the messages of each request with tools. */
  readonly requests: readonly (readonly ScriptedMessage[])[];
  close(): Promise<void>;
}

export async function startScriptedEndpoint(turns: readonly ScriptedTurn[]): Promise<ScriptedEndpoint> {
  const requests: (readonly ScriptedMessage[])[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const wire = findWire(request.url ?? "");
    if (wire === null) return void response.writeHead(404).end("{}");
    const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    // A request without tools is for a title or a summary.
    const hasTools = body.tools !== undefined;
    const messages = wire.messages(body);
    if (hasTools) requests.push(messages);
    const done = messages.filter(wire.isResult).length;
    const turn = hasTools ? (turns[done] ?? { text: "Done." }) : { text: "Title" };
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of wire.events(turn, body))
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
