import { HotcellError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { quote } from "../core/quote.ts";
import { wireName } from "../core/wire-name.ts";
import { permits, type ToolScope } from "../policy/scope.ts";
import type { Tool } from "./define-tool.ts";

export interface Registry {
  /** Throws DUPLICATE_TOOL, also when only the names on the wire are the same. */
  register(tool: Tool): void;
  /** By its own name or by the one it has on the wire: `fs.read`, `fs_read`. */
  get(name: string): Tool | undefined;
  /** The listed tools that the scope permits, in the order of registration. */
  list(scope?: ToolScope | null): Tool[];
  /** The names in the scope that are most similar to an unknown name, best first, in its spelling: `fs_read` for `fs_raed`. */
  nearest(name: string, scope?: ToolScope | null): string[];
  registerMcp(server: string): never;
}

export function createRegistry(): Registry {
  const tools = new Map<string, Tool>();
  const byWireName = new Map<string, Tool>();
  const list = (scope: ToolScope | null = null) =>
    [...tools.values()].filter((tool) => tool.listed && permits(scope, tool.name));

  return {
    register(tool) {
      const taken = byWireName.get(wireName(tool.name));
      if (taken) throw duplicate(tool, taken);
      tools.set(tool.name, tool);
      byWireName.set(wireName(tool.name), tool);
    },
    get: (name) => tools.get(name) ?? byWireName.get(name),
    list,
    nearest: (name, scope) =>
      nearest(
        name,
        list(scope).map((tool) => spellLike(name, tool)),
      ),
    registerMcp(server) {
      throw new HotcellError(
        "NOT_SUPPORTED",
        `Could not add the MCP server ${quote(server)}: not implemented.`,
      );
    },
  };
}

/** Where names on the wire have no dots, a model could not send one that it was told. */
export function spellLike(name: string, tool: Tool): string {
  return name.includes(".") ? tool.name : wireName(tool.name);
}

function duplicate(tool: Tool, taken: Tool): HotcellError {
  const found = `the toolset ${quote(taken.toolset)} already has ${quote(taken.name)}`;
  const which = `the tool ${quote(tool.name)} of the toolset ${quote(tool.toolset)}`;
  const next = "Load one of the two toolsets, or give your own tool another name.";
  return new HotcellError("DUPLICATE_TOOL", `Could not register ${which}: ${found}. ${next}`);
}
