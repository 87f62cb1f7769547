import { createHash } from "node:crypto";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { OpenedFile, WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { EDIT_FILE_OUTPUT } from "../output/output-schemas.ts";
import { isBinary } from "../sidecar/binary.ts";
import { type Edit, type Edited, replaceTexts } from "./replace-texts.ts";

interface Args {
  readonly path: string;
  readonly edits: readonly Edit[];
}

export const editFile = defineTool({
  name: "edit_file",
  outputSchema: EDIT_FILE_OUTPUT,
  toolset: "coding",
  description:
    "Change parts of a text file. Each edit replaces old_text, which must be in the file exactly once, by new_text; with replace_all it replaces all of them. Copy old_text from the file without line numbers. All edits are made in order, or none. An empty old_text creates the file.",
  input: {
    type: "object",
    properties: {
      path: { type: "string", format: "path", description: "File path relative to the workspace" },
      edits: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            old_text: { type: "string", description: "The text to replace, exactly as it is in the file" },
            new_text: { type: "string", description: "The text to put in its place" },
            replace_all: { type: "boolean", description: "Replace every old_text in the file" },
          },
          required: ["old_text", "new_text"],
          additionalProperties: false,
        },
      },
    },
    required: ["path", "edits"],
    additionalProperties: false,
  },
  category: "file",
  danger: "dangerous",
  effect: "change",
  contained: true,
  needs: ["workspace"],
  subject: "path",
  preview: ({ path, edits }: Args, before) =>
    edit(path, Buffer.from(before ?? ""), edits).bytes.toString("utf8"),
  run({ path, edits }: Args, { workspace }) {
    const before = readToEdit(path, edits, workspace);
    const { bytes, replacements } = edit(path, before ?? Buffer.alloc(0), edits);
    const lock = before === null ? {} : { ifMatchSha256: sha256Of(before) };
    const written = workspace.write(path, bytes, lock);
    return {
      path: showName(written.path),
      replacements,
      bytes_written: written.bytes,
      sha256: written.sha256,
      created: written.created,
    };
  },
});

/** Null if the edits create the file. */
function readToEdit(path: string, [first]: readonly Edit[], workspace: WorkspaceFS): Buffer | null {
  if (first!.old_text === "" && workspace.resolve(path).kind === null) return null;
  const file = workspace.open(path);
  try {
    return readWhole(file);
  } finally {
    file.close();
  }
}

function readWhole(file: OpenedFile): Buffer {
  const path = showName(file.path);
  if (file.size > LIMITS.maxEditBytes) {
    const sizes = `it has ${file.size} bytes, and the limit is ${LIMITS.maxEditBytes}`;
    throw new HotcellError("FILE_TOO_LARGE", `Could not edit "${path}": ${sizes}. Use a command.`);
  }
  const bytes = Buffer.concat(Array.from(file.chunks(), (chunk) => Buffer.from(chunk)));
  if (!isBinary(bytes.subarray(0, LIMITS.binaryProbeBytes))) return bytes;
  throw new HotcellError("PATCH_FAILED", `Could not edit "${path}": it is a binary file. Use a command.`);
}

function edit(path: string, before: Buffer, edits: readonly Edit[]): Edited {
  try {
    return replaceTexts(before, edits);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    throw new HotcellError(error.code, `Could not edit "${showName(path)}": ${error.message}`);
  }
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
