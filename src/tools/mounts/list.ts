import type { DirectoryEntry } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { FS_LIST_OUTPUT } from "../output/output-schemas.ts";
import { MOUNT_PATH, MOUNT_TOOL, READING_TOOL } from "./mount-tool.ts";

interface Args {
  readonly path: string;
}

export const fsList = defineTool({
  ...MOUNT_TOOL,
  ...READING_TOOL,
  name: "fs.list",
  outputSchema: FS_LIST_OUTPUT,
  description: "List a directory. The result omits hidden entries and symbolic links.",
  input: {
    type: "object",
    properties: { path: MOUNT_PATH },
    required: ["path"],
    additionalProperties: false,
  },
  needs: ["workspace", "limits"],
  run(args: Args, { workspace, limits: { maxEntries } }) {
    const path = showName(workspace.resolve(args.path).path);
    const entries = workspace.list(args.path).entries.filter(isShown).map(entryOf);
    if (entries.length <= maxEntries) return { path, entries, truncated: false };
    return {
      path,
      entriesPreview: entries.slice(0, maxEntries),
      total: entries.length,
      truncated: true,
      hint: `Only the first ${maxEntries} of ${entries.length} entries are shown. List a subdirectory, or use fs.search.`,
    };
  },
});

function isShown({ name, kind }: DirectoryEntry): boolean {
  return !name.startsWith(".") && kind !== "symlink";
}

function entryOf({ name, kind, size }: DirectoryEntry) {
  return { name: showName(name), type: kind, size };
}
