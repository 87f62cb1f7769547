import type { Rule } from "../policy/rule.ts";
import { NETWORK } from "../policy/tool-names.ts";
import type { Tool } from "../tools/define-tool.ts";

const MAX_NAMED = 20;

/** Tells a model which hosts commands reach, instead of that there are none. */
export function describeNetwork(tool: Tool, rules: readonly Rule[], isDirect: boolean): Tool {
  const places = rules
    .filter((rule) => rule.tool === NETWORK && rule.decision !== "deny")
    .map(({ pattern, decision }) => `${pattern ?? "every host"}${decision === "ask" ? " (asks)" : ""}`);
  if (!isDirect && places.length === 0) return tool;
  const reached = isDirect ? "this machine's own network" : `the network reaches ${listOf(places)}`;
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

function listOf(places: readonly string[]): string {
  const more = places.length - MAX_NAMED;
  return `${places.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""} only`;
}
