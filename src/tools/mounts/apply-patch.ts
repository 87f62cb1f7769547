import { createHash } from "node:crypto";
import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { showName } from "../../workspace/fs/names.ts";
import { defineTool } from "../define-tool.ts";
import { FS_APPLY_PATCH_OUTPUT } from "../output/output-schemas.ts";
import { applyUnifiedDiff } from "../patch/apply-unified-diff.ts";
import { checkDiffNames } from "../patch/check-diff-names.ts";
import type { FrontmatterUpdate } from "../patch/frontmatter-changes.ts";
import { checkNoNewFile, makesNewFile } from "../patch/new-file-diff.ts";
import { replaceText } from "../patch/replace-text.ts";
import { updateFrontmatter } from "../patch/update-frontmatter.ts";
import { CHANGING_TOOL, MOUNT_PATH, MOUNT_TOOL, SHA256 } from "./mount-tool.ts";
import { writeCondition } from "./write.ts";

interface Patch {
  readonly operation: "updateFrontmatter" | "unifiedDiff" | "replace";
  readonly update?: FrontmatterUpdate;
  readonly diff?: string;
  readonly oldText?: string;
  readonly newText?: string;
  readonly ifMatchSha256?: string | null;
}

interface Args {
  readonly path: string;
  readonly patch: Patch;
}

const TEXTS = { type: "array", items: { type: "string" } } as const;
const appending = (items: JsonObject) => ({
  type: "object",
  properties: { append: items },
  required: ["append"],
  additionalProperties: false,
});
const setting = (value: JsonObject) => ({
  type: "object",
  properties: { set: value },
  required: ["set"],
  additionalProperties: false,
});

export const fsApplyPatch = defineTool({
  ...MOUNT_TOOL,
  ...CHANGING_TOOL,
  name: "fs.apply_patch",
  outputSchema: FS_APPLY_PATCH_OUTPUT,
  description:
    "Change a part of a text file: updateFrontmatter (fields of its YAML front matter), unifiedDiff (a diff that applies exactly), or replace (oldText, which must occur exactly once, by newText).",
  input: {
    type: "object",
    properties: {
      path: MOUNT_PATH,
      patch: {
        type: "object",
        properties: {
          operation: { enum: ["updateFrontmatter", "unifiedDiff", "replace"] },
          update: {
            type: "object",
            description: "For updateFrontmatter: the fields, each with the values to append or set",
            properties: {
              stepsCompleted: appending(TEXTS),
              variables: setting({ type: "object" }),
              decisionLog: appending({ type: "array", items: { type: "object" } }),
              artifacts: appending(TEXTS),
              currentNodeId: setting({ type: "string" }),
              updatedAt: setting({ type: "string" }),
            },
            minProperties: 1,
            additionalProperties: false,
          },
          diff: { type: "string", description: "For unifiedDiff: the hunks, with context lines" },
          oldText: { type: "string", minLength: 1, description: "For replace: the exact old text" },
          newText: { type: "string", description: "For replace: the new text" },
          ifMatchSha256: SHA256,
        },
        required: ["operation"],
        additionalProperties: false,
      },
    },
    required: ["path", "patch"],
    additionalProperties: false,
  },
  needs: ["workspace", "limits"],
  preview({ path, patch }: Args, before) {
    if (before === null) throw new HotcellError("NOT_FOUND", `Could not patch "${path}": no such file.`);
    return patched(path, before, patch);
  },
  run({ path, patch }: Args, { workspace, limits: { maxWriteBytes } }) {
    const { ifMatchSha256 } = writeCondition(path, patch.ifMatchSha256);
    const before = readToPatch(path, patch, workspace);
    const sha256Before = createHash("sha256").update(before).digest("hex");
    if (ifMatchSha256 !== undefined && ifMatchSha256 !== sha256Before) throw changed(path, sha256Before);
    const after = patched(path, textOf(path, before), patch);
    checkPatchedSize(path, before.length, after, maxWriteBytes);
    const written = workspace.write(path, after, { ifMatchSha256: sha256Before });
    return { path: showName(written.path), sha256Before, sha256After: written.sha256 };
  },
});

/** Reports an error of the read as an error of the patch. */
function readToPatch(path: string, { operation, diff = "" }: Patch, workspace: WorkspaceFS): Buffer {
  try {
    return workspace.read(path);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    const { code, details } = error;
    if (code === "NOT_FOUND" && operation === "unifiedDiff" && makesNewFile(diff)) {
      const state = "the patch creates a new file, but fs.apply_patch only changes an existing one";
      throw new HotcellError(code, `Could not patch "${path}": ${state}. Create it with fs.write.`, details);
    }
    if (code !== "FILE_TOO_LARGE") throw error;
    const limit = `fs.apply_patch changes no file larger than ${details.maxBytes}`;
    throw new HotcellError(
      code,
      `Could not patch "${path}": it has ${details.size} bytes, and ${limit}.`,
      details,
    );
  }
}

function checkPatchedSize(path: string, bytesBefore: number, after: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(after);
  if (bytes <= maxBytes) return;
  const sizes = `it has ${bytesBefore} bytes, and would have ${bytes}`;
  const limit = `the agent's maxWriteBytes is ${maxBytes}`;
  throw new HotcellError("WRITE_TOO_LARGE", `Could not patch "${path}": ${sizes}; ${limit}.`, {
    bytes,
    maxBytes,
  });
}

function patched(path: string, text: string, patch: Patch): string {
  switch (patch.operation) {
    case "updateFrontmatter":
      return updateFrontmatter(text, given(patch, "update"));
    case "unifiedDiff":
      checkDiffNames(given(patch, "diff"), path);
      checkNoNewFile(given(patch, "diff"), path, text);
      return applyUnifiedDiff(text, given(patch, "diff"));
    case "replace":
      return replaceText(text, given(patch, "oldText"), given(patch, "newText"));
  }
}

function given<Key extends keyof Patch>(patch: Patch, key: Key): NonNullable<Patch[Key]> {
  const value = patch[key];
  if (value !== undefined && value !== null) return value;
  throw new HotcellError(
    "INVALID_ARGUMENTS",
    `Could not call fs.apply_patch: patch.${key} is missing, and ${patch.operation} needs it.`,
  );
}

/** A patch would destroy bytes that are not UTF-8. */
function textOf(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const next =
      "No fs tool can change it without loss. Use a command that works on bytes, if commands are available.";
    throw new HotcellError("PATCH_FAILED", `Could not patch "${path}": it is not UTF-8 text. ${next}`);
  }
}

function changed(path: string, sha256: string): HotcellError {
  const message = `Could not patch "${path}": its SHA-256 is ${sha256}, which differs from ifMatchSha256. Read the file again.`;
  return new HotcellError("PRECONDITION_FAILED", message);
}
