import type { DangerLevel } from "../core/types.ts";

/** The subject of a tool's rules: a path, a command line, or only the tool itself. */
export type SubjectKind = "path" | "command" | "none";

/** The notation of a tool's paths: within the project; `@mount/path`; or within the project or the storage beside it. */
export type PathNaming = "project" | "mounts" | "storage";

export interface KnownTool {
  readonly name: string;
  /** `project` if omitted. */
  readonly naming?: PathNaming;
  readonly subject: SubjectKind;
  readonly danger: DangerLevel;
}

/** Every tool of the toolsets of this or a later version: a rule may name a tool that is not loaded. */
export const KNOWN_TOOLS: readonly KnownTool[] = [
  { name: "read_file", subject: "path", danger: "safe" },
  { name: "write_file", subject: "path", danger: "dangerous" },
  { name: "list_directory", subject: "path", danger: "safe" },
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
  { name: "time.now", subject: "none", danger: "safe" },
];

export function findTool(name: string, tools: readonly KnownTool[]): KnownTool | undefined {
  return tools.find((tool) => isSameTool(tool.name, name));
}

/** `fs.read` and its wire name `fs_read` are the same tool. */
export function isSameTool(a: string, b: string): boolean {
  return a.replaceAll(".", "_") === b.replaceAll(".", "_");
}
