// What OpenAI's two APIs have in common.
import type { JsonObject } from "../core/json.ts";
import { wireName } from "../core/wire-name.ts";
import type { Dialer } from "./dial.ts";
import type { ModelCall, ModelImage, ModelSettings, ModelTool } from "./model.ts";
import { asList, asObject, asText } from "./wire-values.ts";

export function openAIHeaders({ apiKey }: ModelSettings): Readonly<Record<string, string>> {
  return apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
}

export async function listOpenAIModels(
  dialer: Dialer,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string[]> {
  return asList(asObject(await dialer.get("/models", headers, signal)).data).map(({ id }) => asText(id));
}

export function functionTools(tools: readonly ModelTool[]): JsonObject[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name: wireName(name), description, parameters: inputSchema },
  }));
}

/** Compatible servers parse the arguments of earlier calls: those of a call that was cut off are left out. */
export function sentArguments({ arguments: args, complete }: ModelCall): string {
  return complete && args !== "" ? args : "{}";
}

/** Results of tools are text on these wires: a picture follows as a message of the user. */
export function imageMessage(images: readonly ModelImage[], type: "image_url" | "input_image"): JsonObject {
  const content = images.map(({ mime, base64 }): JsonObject => {
    const url = `data:${mime};base64,${base64}`;
    return type === "image_url" ? { type, image_url: { url } } : { type, image_url: url };
  });
  return { role: "user", content };
}
