import { opensNetwork } from "../policy/judge-network.ts";
import type { Rule } from "../policy/rule.ts";
import { NETWORK } from "../policy/tool-names.ts";
import type { Tool } from "../tools/define-tool.ts";

const MAX_NAMED = 20;

/** Describes to a model which hosts commands reach. Without this, the description says that they reach none. */
export function describeNetwork(tool: Tool, rules: readonly Rule[], isDirect: boolean): Tool {
  const places = rules
    .filter(opensNetwork)
    .map((rule) => `${placeOf(rule)}${rule.decision === "ask" ? " (asks)" : ""}`);
  if (!isDirect && places.length === 0) return tool;
  const reached = isDirect
    ? "this machine's own network"
    : `the network reaches ${listOf(places)} only${asked(rules)}`;
  return {
    ...tool,
    description: tool.description.replace(/(there is )no network/i, (_, head) =>
      isDirect ? head + reached : capitalized(reached, head),
    ),
  };
}

function capitalized(text: string, head: string): string {
  return head.startsWith("T") ? text[0]!.toUpperCase() + text.slice(1) : text;
}

const placeOf = ({ pattern }: Rule) => pattern ?? "every host";

/** Rules of the project open nothing, but ask before connections that other rules open. */
function asked(rules: readonly Rule[]): string {
  const places = rules
    .filter(({ tool, decision, origin }) => tool === NETWORK && decision === "ask" && origin.ofProject)
    .map(placeOf);
  return places.length === 0 ? "" : ` (the project's own rules ask before ${listOf(places)})`;
}

function listOf(places: readonly string[]): string {
  const more = places.length - MAX_NAMED;
  return `${places.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
