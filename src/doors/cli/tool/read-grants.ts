import { quote } from "../../../core/quote.ts";
import type { Capabilities } from "../../../tools/wasm/grant.ts";
import { usage } from "../io.ts";

type Mutable = { -readonly [Key in keyof Capabilities]: Capabilities[Key] };

/** `filesystem=write`, `model_access`, `network=HOST`, `env=NAME`; the last two may be given several times. */
export function readGrants(given: readonly string[] = []): Capabilities {
  const grant: Mutable = {};
  for (const text of given) {
    const [name, value = ""] = text.split(/=(.*)/s);
    if (name === "model_access" && value === "") grant.model_access = true;
    else if (name === "filesystem" && (value === "read" || value === "write")) grant.filesystem = value;
    else if (name === "network" && value === "true") grant.network = true;
    else if (name === "network" && value !== "")
      grant.network = [...(Array.isArray(grant.network) ? grant.network : []), value];
    else if (name === "env" && value !== "") grant.env = [...(grant.env ?? []), value];
    else
      throw usage(
        `Could not grant ${quote(text)}; allowed are filesystem=read, filesystem=write, model_access, network=HOST, env=NAME.`,
      );
  }
  return grant;
}
