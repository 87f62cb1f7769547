import { HotcellError } from "../../core/errors.ts";
import type { WriteOptions } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { CHANGING, MOUNT_PATH, MOUNT_TOOL, SHA256 } from "./mount-tool.ts";

interface Args {
  readonly path: string;
  readonly content: string;
  readonly ifMatchSha256?: string | null;
}

export const fsWrite = defineTool({
  ...MOUNT_TOOL,
  ...CHANGING,
  name: "fs.write",
  description:
    "Write a file, replacing what was there. Directories on the way are made. The change is all or nothing.",
  inputSchema: {
    type: "object",
    properties: {
      path: MOUNT_PATH,
      content: { type: "string", description: "The whole new content" },
      ifMatchSha256: SHA256,
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  needs: ["workspace", "limits"],
  run({ path, content, ifMatchSha256 }: Args, { workspace, limits: { maxWriteBytes } }) {
    checkSize(path, content, maxWriteBytes);
    const written = workspace.write(path, content, condition(path, ifMatchSha256));
    return { path: showName(written.path), bytesWritten: written.bytes, sha256After: written.sha256 };
  },
});

function checkSize(path: string, content: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(content);
  if (bytes <= maxBytes) return;
  const message = `Could not write "${path}": the content has ${bytes} bytes, and ${maxBytes} may be written at once. Write less, or change a part with fs.apply_patch.`;
  throw new HotcellError("WRITE_TOO_LARGE", message, { bytes, maxBytes });
}

/** A condition that can't be met is not the same as none. */
export function condition(path: string, sha256: string | null | undefined): WriteOptions {
  if (sha256 === undefined) return {};
  if (sha256 !== null) return { ifMatchSha256: sha256.toLowerCase() };
  const message = `Could not change "${path}": ifMatchSha256 is null. Give the file's SHA-256, or leave it out.`;
  throw new HotcellError("PRECONDITION_FAILED", message);
}
