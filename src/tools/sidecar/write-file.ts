import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";

interface Args {
  readonly path: string;
  readonly content: string;
}

export const writeFile = defineTool({
  name: "write_file",
  toolset: "sidecar",
  description:
    "Write a file, replacing what was there. Directories on the way are made. The change is all or nothing.",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", format: "path", description: "File path relative to the workspace" },
      content: { type: "string", description: "The whole new content" },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  category: "file",
  danger: "dangerous",
  effect: "change",
  contained: true,
  needs: ["workspace"],
  subject: "path",
  run(args: Args, { workspace }) {
    const { path, bytes, sha256, created } = workspace.write(args.path, args.content);
    return { path: showName(path), bytes_written: bytes, sha256, created };
  },
});
