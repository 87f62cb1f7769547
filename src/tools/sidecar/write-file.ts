import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { WRITE_FILE_OUTPUT } from "../output/output-schemas.ts";

interface Args {
  readonly path: string;
  readonly content: string;
}

export const writeFile = defineTool({
  name: "write_file",
  outputSchema: WRITE_FILE_OUTPUT,
  toolset: "sidecar",
  description:
    "Write a file and replace its old content. Missing parent directories are created. The write is atomic.",
  input: {
    type: "object",
    properties: {
      path: { type: "string", format: "path", description: "File path relative to the workspace" },
      content: { type: "string", description: "The complete new content" },
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
  preview: ({ content }: Args) => content,
  run(args: Args, { workspace }) {
    const { path, bytes, sha256, created } = workspace.write(args.path, args.content);
    return { path: showName(path), bytes_written: bytes, sha256, created };
  },
});
