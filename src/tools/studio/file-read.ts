import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { readHead } from "../../workspace/files/read-head.ts";
import type { OpenedFile, WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { hasNonUtf8Bytes, NON_UTF8_NOTE } from "../non-utf8.ts";
import { FILE_READ_OUTPUT } from "../output/output-schemas.ts";
import { readFitting } from "../read-fitting.ts";
import { FILE_TOOL, STUDIO_PATH } from "./file-tool.ts";

interface Args {
  readonly path: string;
}

export const fileRead = defineTool({
  ...FILE_TOOL,
  name: "file_read",
  outputSchema: FILE_READ_OUTPUT,
  description: "Read a file of the project or of its central storage. A long file is cut.",
  input: {
    type: "object",
    properties: { path: STUDIO_PATH },
    required: ["path"],
    additionalProperties: false,
  },
  danger: "safe",
  effect: "read",
  async run(args: Args, { workspace }, signal) {
    const file = open(args.path, workspace);
    try {
      return await readFitting(file.size, LIMITS.maxReadBytes, async (maxBytes) => {
        const { text, truncated, sha256, bytes } = await readHead(file, maxBytes, signal);
        const notes = [
          ...(truncated ? [cutNote(text, bytes, maxBytes)] : []),
          ...(hasNonUtf8Bytes(file, text) ? [NON_UTF8_NOTE] : []),
        ];
        const metadata = { path: showName(file.path), bytes, sha256, truncated };
        const output = [text, ...notes.map((note) => `[${note}]`)].join("\n");
        return { output, metadata, isError: false };
      });
    } finally {
      file.close();
    }
  },
});

/** The next read begins with the character that the cut split. */
function cutNote(text: string, bytes: number, maxBytes: number): string {
  const shown = Math.min(Buffer.byteLength(text), maxBytes);
  const rest = `Read the rest with a command: tail -c +${shown + 1}`;
  return `Cut: the file has ${bytes} bytes, and the first ${maxBytes} are shown. ${rest}`;
}

/** The message of this toolset for a missing file. */
function open(path: string, workspace: WorkspaceFS): OpenedFile {
  try {
    return workspace.open(path);
  } catch (error) {
    if (!(error instanceof HotcellError) || error.code !== "NOT_FOUND") throw error;
    throw new HotcellError("NOT_FOUND", `file not found: ${showName(path)}`, error.details);
  }
}
