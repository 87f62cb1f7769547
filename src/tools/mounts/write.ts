import { HotcellError } from "../../core/errors.ts";
import type { WriteOptions } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { FS_WRITE_OUTPUT } from "../output/output-schemas.ts";
import { CHANGING_TOOL, MOUNT_PATH, MOUNT_TOOL, SHA256 } from "./mount-tool.ts";

interface Args {
  readonly path: string;
  readonly content: string;
  readonly ifMatchSha256?: string | null;
}

export const fsWrite = defineTool({
  ...MOUNT_TOOL,
  ...CHANGING_TOOL,
  name: "fs.write",
  outputSchema: FS_WRITE_OUTPUT,
  description:
    "Write a file and replace its old content. Missing parent directories are created. The write is atomic.",
  input: {
    type: "object",
    properties: {
      path: MOUNT_PATH,
      content: { type: "string", description: "The complete new content" },
      ifMatchSha256: SHA256,
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  needs: ["workspace", "limits"],
  preview: ({ content }: Args) => content,
  run({ path, content, ifMatchSha256 }: Args, { workspace, limits: { maxWriteBytes } }) {
    checkSize(path, content, maxWriteBytes);
    const written = workspace.write(path, content, writeCondition(path, ifMatchSha256));
    return { path: showName(written.path), bytesWritten: written.bytes, sha256After: written.sha256 };
  },
});

function checkSize(path: string, content: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(content);
  if (bytes <= maxBytes) return;
  const message = `Could not write "${path}": the content has ${bytes} bytes, and one call may write ${maxBytes}. Write less, or change a part with fs.apply_patch.`;
  throw new HotcellError("WRITE_TOO_LARGE", message, { bytes, maxBytes });
}

/** A condition that cannot be met must not count as no condition. */
export function writeCondition(path: string, sha256: string | null | undefined): WriteOptions {
  if (sha256 === undefined) return {};
  if (sha256 !== null) return { ifMatchSha256: sha256.toLowerCase() };
  const message = `Could not change "${path}": ifMatchSha256 is null. Give the file's SHA-256, or omit it.`;
  throw new HotcellError("PRECONDITION_FAILED", message);
}
