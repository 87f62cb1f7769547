import type { DangerLevel } from "../core/types.ts";

/** The subject of a tool's rules: a path, a command line, a host with its port, or only the tool itself. */
export type SubjectKind = "path" | "command" | "host" | "none";

/** Rules of this name are about the hosts that commands reach. No tool has it. */
export const NETWORK = "network";

/** The notation of a tool's paths: within the project; `@mount/path`; or within the project or the storage beside it. */
export type PathNaming = "project" | "mounts" | "storage";

export interface KnownTool {
  readonly name: string;
  /** `project` if omitted. */
  readonly naming?: PathNaming;
  readonly subject: SubjectKind;
  readonly danger: DangerLevel;
  /** The rules of this tool apply too: a rule that forbids writing a file also forbids editing it. */
  readonly writesLike?: string;
}

/** Every tool of the toolsets of this or a later version: a rule may name a tool that is not loaded. */
export const KNOWN_TOOLS: readonly KnownTool[] = [
  { name: "read_file", subject: "path", danger: "safe" },
  { name: "write_file", subject: "path", danger: "dangerous" },
  { name: "edit_file", subject: "path", danger: "dangerous", writesLike: "write_file" },
  { name: "list_directory", subject: "path", danger: "safe" },
  { name: "find_files", subject: "path", danger: "safe" },
  { name: "search_files", subject: "path", danger: "safe" },
  { name: "run_command", subject: "command", danger: "dangerous" },
  { name: "fs.list", subject: "path", naming: "mounts", danger: "safe" },
  { name: "fs.read", subject: "path", naming: "mounts", danger: "safe" },
  { name: "fs.search", subject: "path", naming: "mounts", danger: "safe" },
  { name: "fs.write", subject: "path", naming: "mounts", danger: "dangerous" },
  { name: "fs.apply_patch", subject: "path", naming: "mounts", danger: "dangerous" },
  { name: "file_read", subject: "path", naming: "storage", danger: "safe" },
  { name: "file_write", subject: "path", naming: "storage", danger: "dangerous" },
  { name: "bash", subject: "command", danger: "dangerous" },
  { name: "web_search", subject: "none", danger: "safe" },
  { name: "run_js", subject: "none", danger: "safe" },
  { name: "time.now", subject: "none", danger: "safe" },
  { name: "session_create", subject: "none", danger: "safe" },
  { name: "session_diff", subject: "none", danger: "safe" },
  { name: "session_commit", subject: "none", danger: "dangerous" },
  { name: "session_discard", subject: "none", danger: "safe" },
  { name: "session_rewind", subject: "none", danger: "safe" },
  { name: "kv_get", subject: "none", danger: "safe" },
  { name: "kv_set", subject: "none", danger: "safe" },
  { name: "kv_delete", subject: "none", danger: "safe" },
  { name: "kv_list", subject: "none", danger: "safe" },
  { name: NETWORK, subject: "host", danger: "dangerous" },
];

export function findTool(name: string, tools: readonly KnownTool[]): KnownTool | undefined {
  return tools.find((tool) => isSameTool(tool.name, name));
}

/** Whether a rule for a tool, or for `*`, is about calls of another one. */
export function appliesTo(ruled: string, called: string): boolean {
  const like = findTool(called, KNOWN_TOOLS)?.writesLike;
  return ruled === "*" || isSameTool(ruled, called) || ruled === like;
}

/** `fs.read` and its wire name `fs_read` are the same tool. */
export function isSameTool(a: string, b: string): boolean {
  return a.replaceAll(".", "_") === b.replaceAll(".", "_");
}
