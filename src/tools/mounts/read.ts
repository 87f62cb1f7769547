import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { showName } from "../../workspace/names.ts";
import { readHead } from "../../workspace/read-head.ts";
import { readLines } from "../../workspace/read-lines.ts";
import type { OpenedFile } from "../../workspace/workspace-fs.ts";
import { defineTool } from "../define-tool.ts";
import { readFitting } from "../read-fitting.ts";
import { LOOKING, MOUNT_TOOL, PATH } from "./mount-tool.ts";

interface Args {
  readonly path: string;
  readonly startLine?: number;
  readonly endLine?: number;
}

export const fsRead = defineTool({
  ...MOUNT_TOOL,
  ...LOOKING,
  name: "fs.read",
  description:
    "Read a text file, whole or from startLine to endLine. A long answer is cut and says so; sha256 is of the whole file.",
  inputSchema: {
    type: "object",
    properties: {
      path: PATH,
      startLine: { type: "integer", minimum: 1, description: "First line to read (1-based)" },
      endLine: { type: "integer", minimum: 1, description: "Last line to read (inclusive)" },
    },
    required: ["path"],
    additionalProperties: false,
  },
  needs: ["workspace", "limits"],
  async run(args: Args, { workspace, limits: { maxReadBytes } }, signal) {
    checkWindow(args);
    const file = workspace.open(args.path);
    try {
      const isWhole = args.startLine === undefined && args.endLine === undefined;
      return await readFitting(file.size, maxReadBytes, (maxBytes) =>
        isWhole ? whole(file, maxBytes, signal) : windowOf(file, args, maxBytes, signal),
      );
    } finally {
      file.close();
    }
  },
});

function checkWindow({ path, startLine = 1, endLine }: Args): void {
  if (endLine === undefined || endLine >= startLine) return;
  const message = `Could not read "${path}": endLine ${endLine} is before startLine ${startLine}.`;
  throw new HotcellError("EXECUTION_ERROR", message);
}

async function whole(file: OpenedFile, maxBytes: number, signal: AbortSignal): Promise<JsonObject> {
  const { text, truncated, sha256, bytes } = await readHead(file, maxBytes, signal);
  const about = { path: showName(file.path), bytes, sha256, truncated };
  if (!truncated) return { ...about, content: text };
  const hint = `The file has ${bytes} bytes, and ${maxBytes} may be read at once. Give startLine and endLine, or use fs.search.`;
  return { ...about, contentPreview: text, hint };
}

async function windowOf(
  file: OpenedFile,
  { startLine = 1, endLine = Number.POSITIVE_INFINITY }: Args,
  maxBytes: number,
  signal: AbortSignal,
): Promise<JsonObject> {
  const range = {
    start: startLine,
    end: endLine,
    maxBytes,
    lineCost: 0,
    maxHashBytes: Number.POSITIVE_INFINITY,
  };
  const { lines, nextLine, cutWithinLine, sha256, bytes } = await readLines(file, range, signal);
  const truncated = nextLine !== null;
  const about = { path: showName(file.path), bytes, sha256, truncated };
  const text = lines.join("\n");
  if (!truncated) return { ...about, content: text };
  const cut = cutWithinLine ? `Line ${nextLine - 1} is longer than may be read at once. ` : "";
  return { ...about, contentPreview: text, hint: `${cut}Go on with startLine ${nextLine}.` };
}
