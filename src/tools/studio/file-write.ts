import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { FILE_WRITE_OUTPUT } from "../output/output-schemas.ts";
import { FILE_TOOL, STUDIO_PATH } from "./file-tool.ts";

interface Args {
  readonly path: string;
  readonly content: string;
}

export const fileWrite = defineTool({
  ...FILE_TOOL,
  name: "file_write",
  outputSchema: FILE_WRITE_OUTPUT,
  description:
    "Write a file of the project or of its central storage, and replace its old content. Missing parent directories are created.",
  input: {
    type: "object",
    properties: { path: STUDIO_PATH, content: { type: "string", description: "The complete new content" } },
    required: ["path", "content"],
    additionalProperties: false,
  },
  danger: "dangerous",
  effect: "change",
  contained: true,
  preview: ({ content }: Args) => content,
  run(args: Args, { workspace }) {
    const { path, bytes, sha256, created } = workspace.write(args.path, args.content);
    const metadata = { path: showName(path), bytes, sha256, created };
    return { output: `wrote ${bytes} bytes to ${showName(path)}`, metadata, isError: false };
  },
});
