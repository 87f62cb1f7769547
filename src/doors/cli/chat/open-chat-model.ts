// The model that flags, environment and configuration describe.

import type { AgentOptions } from "../../../agent/run-agent.ts";
import type { Config } from "../../../config/config.ts";
import { readAmounts } from "../../../config/model-config.ts";
import { HotcellError } from "../../../core/errors.ts";
import type { ModelProvider } from "../../../models/model.ts";
import { openModel } from "../../../models/open-model.ts";
import type { Io } from "../io.ts";

export interface ModelFlags {
  readonly model?: string;
  readonly modelUrl?: string;
  readonly budget?: string;
  readonly price?: string;
}

export interface ChatModel {
  readonly model: ModelProvider;
  readonly options: Pick<AgentOptions, "budget" | "prices" | "toolMode">;
}

export function openChatModel(io: Io, { model }: Config, flags: ModelFlags): ChatModel {
  const { prices, budget, toolMode, baseUrl, idleMs } = {
    ...model,
    ...(flags.modelUrl !== undefined && { baseUrl: flags.modelUrl }),
    ...readAmounts("prices", "--price", flags.price),
    ...readAmounts("budget", "--budget", flags.budget),
  };
  const name = flags.model ?? nameOf(model);
  return {
    model: openModel({ model: name, baseUrl, idleMs, apiKey: keyFor(name, baseUrl, io.env) }),
    options: {
      ...(prices !== undefined && { prices }),
      ...(budget !== undefined && { budget }),
      ...(toolMode !== undefined && { toolMode }),
    },
  };
}

function nameOf({ provider, name }: Config["model"]): string {
  if (provider === undefined)
    throw new HotcellError(
      "CONFIG_INVALID",
      "Could not open the model: none is chosen. Give --model PROVIDER/NAME, or set MODEL_PROVIDER and MODEL_NAME. To try it without one: --model scripted",
    );
  return name === undefined ? provider : `${provider}/${name}`;
}

const OWN_KEYS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "ANTHROPIC_API_KEY"],
  ["openai", "OPENAI_API_KEY"],
  ["openai-responses", "OPENAI_API_KEY"],
]);

/** The provider's own variable counts for the provider's own address only: another server must not get that key. */
function keyFor(model: string, baseUrl: string | undefined, env: Io["env"]): string | undefined {
  if (env.MODEL_API_KEY !== undefined && env.MODEL_API_KEY !== "") return env.MODEL_API_KEY;
  const own = OWN_KEYS.get(model.split("/", 1)[0]!);
  return own === undefined || baseUrl !== undefined ? undefined : env[own];
}
