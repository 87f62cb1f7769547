// Where each MCP client keeps its servers, and what an entry for hotcell looks like there. Pure: reads and writes nothing.
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";

export interface ClientPlaces {
  readonly workspace: string;
  /** The user's configuration directory, such as `~/.config`. */
  readonly configHome: string;
}

export interface McpClient {
  readonly file: (places: ClientPlaces) => string;
  /** The part of that file that starts hotcell. */
  readonly entry: (places: ClientPlaces) => string;
  /** The new text of the file. Throws if the text found there cannot be changed safely. */
  readonly add: (text: string | null, places: ClientPlaces) => string;
}

const COMMAND = "hotcell";
const argsFor = ({ workspace }: ClientPlaces): string[] => ["mcp", "--workspace", workspace];
const started = (places: ClientPlaces): JsonObject => ({ command: COMMAND, args: argsFor(places) });

/** By the name that `hotcell mcp install` takes. */
export const MCP_CLIENTS: ReadonlyMap<string, McpClient> = new Map([
  ["claude-code", jsonClient(inProject(".mcp.json"), "mcpServers", started)],
  ["codex", tomlClient(inProject(".codex/config.toml"))],
  ["cursor", jsonClient(inProject(".cursor/mcp.json"), "mcpServers", started)],
  [
    "opencode",
    jsonClient(inProject("opencode.json"), "mcp", (places) => ({
      type: "local",
      command: [COMMAND, ...argsFor(places)],
      enabled: true,
    })),
  ],
  [
    "vscode",
    jsonClient(inProject(".vscode/mcp.json"), "servers", (places) => ({ type: "stdio", ...started(places) })),
  ],
  [
    "zed",
    jsonClient(({ configHome }) => path.join(configHome, "zed/settings.json"), "context_servers", started),
  ],
]);

function inProject(name: string): McpClient["file"] {
  return ({ workspace }) => path.join(workspace, name);
}

function jsonClient(
  file: McpClient["file"],
  key: string,
  entryFor: (places: ClientPlaces) => JsonObject,
): McpClient {
  const print = (value: JsonObject) => `${JSON.stringify(value, null, 2)}\n`;
  return {
    file,
    entry: (places) => print({ [key]: { hotcell: entryFor(places) } }),
    add(text, places) {
      const config = text === null || text.trim() === "" ? {} : readObject(text, file(places));
      const servers = config[key] ?? {};
      if (!isJsonObject(servers)) throw unchangeable(file(places), `its ${quote(key)} is not an object`);
      return print({ ...config, [key]: { ...servers, hotcell: entryFor(places) } });
    },
  };
}

function tomlClient(file: McpClient["file"]): McpClient {
  const entry = (places: ClientPlaces) =>
    `[mcp_servers.hotcell]\ncommand = ${JSON.stringify(COMMAND)}\nargs = ${JSON.stringify(argsFor(places))}\n`;
  return {
    file,
    entry,
    add(text, places) {
      if (text === null || text.trim() === "") return entry(places);
      if (/mcp_servers[\s"'.]*hotcell|^\s*mcp_servers\s*=/m.test(text))
        throw unchangeable(file(places), "it has such an entry already");
      return `${text.replace(/\n*$/, "\n\n")}${entry(places)}`;
    },
  };
}

/** A file with comments is left to its owner: written again, it would lose them. */
function readObject(text: string, file: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unchangeable(file, "it is not plain JSON, perhaps because of comments");
  }
  if (!isJsonObject(value)) throw unchangeable(file, "it is not an object");
  return value;
}

function unchangeable(file: string, problem: string): HotcellError {
  return new HotcellError(
    "NOT_SUPPORTED",
    `Could not add hotcell to ${quote(file)}: ${problem}. Add it yourself; --print shows the entry.`,
  );
}
