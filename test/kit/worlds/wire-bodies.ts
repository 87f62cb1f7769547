// The requests that the adapters send for a conversation, as a server on loopback gets them.
import type { ModelMessage } from "../../../src/models/model.ts";
import { openModel } from "../../../src/models/open-model.ts";
import { serveModel } from "./model-server.ts";
import { type Dialect, WIRE_CASES } from "./wire-cases.ts";
import { findWireFaults } from "./wire-rules.ts";

export interface Wires {
  /** What is wrong with the request of each wire; empty if nothing is. */
  faultsOf(messages: readonly ModelMessage[]): Promise<string[]>;
  close(): Promise<void>;
}

const DIALECTS = Object.keys(WIRE_CASES) as Dialect[];

export async function openWires(): Promise<Wires> {
  const wires = await Promise.all(DIALECTS.map(openWire));
  return {
    async faultsOf(messages) {
      const faults = await Promise.all(
        wires.map(async ({ dialect, send }) =>
          findWireFaults(dialect, await send(messages)).map((fault) => `${dialect}: ${fault}`),
        ),
      );
      return faults.flat();
    },
    close: async () => void (await Promise.all(wires.map(({ close }) => close()))),
  };
}

async function openWire(dialect: Dialect) {
  const [{ body } = { body: [] }] = WIRE_CASES[dialect];
  const server = await serveModel({ body });
  const model = openModel({ model: `${dialect}/m`, baseUrl: server.url, apiKey: "k" });
  return {
    dialect,
    async send(messages: readonly ModelMessage[]) {
      let last = "";
      const request = { system: "Be brief.", messages };
      for await (const { type } of model.sendMessage(request, new AbortController().signal)) last = type;
      const sent = server.requests.splice(0);
      if (last !== "end" || sent.length !== 1)
        throw new Error(`${dialect}: ${sent.length} requests, and the answer ends with ${last}`);
      return sent[0]!.body;
    },
    async close() {
      await model.close();
      await server.close();
    },
  };
}
