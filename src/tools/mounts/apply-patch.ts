import { createHash } from "node:crypto";
import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { showName } from "../../workspace/names.ts";
import { defineTool } from "../define-tool.ts";
import { applyUnifiedDiff } from "../patch/apply-unified-diff.ts";
import { checkDiffNames } from "../patch/check-diff-names.ts";
import type { FrontmatterUpdate } from "../patch/frontmatter-changes.ts";
import { replaceText } from "../patch/replace-text.ts";
import { updateFrontmatter } from "../patch/update-frontmatter.ts";
import { CHANGING, MOUNT_TOOL, PATH, SHA256 } from "./mount-tool.ts";
import { checkSize, condition } from "./write.ts";

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
  ...CHANGING,
  name: "fs.apply_patch",
  description:
    "Change a part of a text file: updateFrontmatter (fields of its YAML front matter), unifiedDiff (a diff that fits exactly), or replace (oldText, which must be there exactly once, by newText).",
  inputSchema: {
    type: "object",
    properties: {
      path: PATH,
      patch: {
        type: "object",
        properties: {
          operation: { enum: ["updateFrontmatter", "unifiedDiff", "replace"] },
          update: {
            type: "object",
            description: "Of updateFrontmatter: which fields, each with what to append or set",
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
          diff: { type: "string", description: "Of unifiedDiff: the hunks, with context lines" },
          oldText: { type: "string", minLength: 1, description: "Of replace: the text that goes, exactly" },
          newText: { type: "string", description: "Of replace: the text that comes" },
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
  run({ path, patch }: Args, { workspace, limits: { maxWriteBytes } }) {
    const { ifMatchSha256 } = condition(path, patch.ifMatchSha256);
    const before = workspace.read(path);
    const sha256Before = createHash("sha256").update(before).digest("hex");
    if (ifMatchSha256 !== undefined && ifMatchSha256 !== sha256Before) throw changed(path, sha256Before);
    const after = patched(path, textOf(path, before), patch);
    checkSize(path, after, maxWriteBytes);
    const written = workspace.write(path, after, { ifMatchSha256: sha256Before });
    return { path: showName(written.path), sha256Before, sha256After: written.sha256 };
  },
});

function patched(path: string, text: string, patch: Patch): string {
  switch (patch.operation) {
    case "updateFrontmatter":
      return updateFrontmatter(text, given(patch, "update"));
    case "unifiedDiff":
      checkDiffNames(given(patch, "diff"), path);
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

/** A patch is about text: bytes that are no UTF-8 would not survive it. */
function textOf(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HotcellError("PATCH_FAILED", `Could not patch "${path}": it is not UTF-8 text. Use fs.write.`);
  }
}

function changed(path: string, sha256: string): HotcellError {
  const message = `Could not patch "${path}": its SHA-256 is ${sha256}, not what ifMatchSha256 says. Read it again.`;
  return new HotcellError("PRECONDITION_FAILED", message);
}
