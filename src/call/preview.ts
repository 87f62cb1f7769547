// Shows the person who approves a call what it would change.
import { hash } from "node:crypto";
import { HotcellError } from "../core/errors.ts";
import { LIMITS } from "../core/limits.ts";
import { hunksOf } from "../workspace/diff/hunks.ts";
import { showName } from "../workspace/fs/names.ts";
import type { CallParts } from "./call-parts.ts";
import type { PreparedCall } from "./prepare.ts";

export interface CallPreview {
  readonly text: string;
  /** Which version of the file the diff is of, or the hash of the plan. */
  readonly version: string;
}

/** Null for a call of which it is not known beforehand what it changes. */
export async function previewCall(
  call: PreparedCall,
  parts: CallParts,
  signal: AbortSignal,
): Promise<CallPreview | null> {
  const { tool, arguments: args, decision } = call;
  if (tool.previewSession !== undefined && parts.session !== null) {
    const { text, version } = await tool.previewSession(args, parts.session, signal);
    return { text: cut(text), version };
  }
  const [path] = decision.paths;
  if (tool.preview === undefined || path === undefined) return null;
  const before = await readCurrent(call, path, parts, signal);
  const after = before === undefined ? null : tryPreview(() => tool.preview!(args, before));
  if (before === undefined || after === null) return null;
  const name = showName(path);
  const hunks = hunksOf(path, before ?? "", after).map(({ header, lines }) => [header, ...lines].join("\n"));
  const text = [`--- ${before === null ? "/dev/null" : name}`, `+++ ${name}`, ...hunks].join("\n");
  return { text: cut(text), version: before === null ? "absent" : hash("sha256", before, "hex") };
}

/** Whether the file is still the one that the person saw. */
export async function isStillShown(
  call: PreparedCall,
  { version }: CallPreview,
  parts: CallParts,
  signal: AbortSignal,
): Promise<boolean> {
  return (await previewCall(call, parts, signal))?.version === version;
}

/** Null if there is no such file; undefined if its text can't be shown, such as that of a huge file. */
async function readCurrent(
  { tool, start, decision: { place } }: PreparedCall,
  path: string,
  { around }: CallParts,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const about = {
    id: start.id,
    tool: tool.name,
    effect: "read",
    runsCommands: false,
    usesFiles: true,
  } as const;
  const { settled } = await around({ ...about, signal }, async () => ({
    text: place.files.read(path, { maxBytes: LIMITS.maxDiffFileBytes }).toString("utf8"),
  }));
  signal.throwIfAborted();
  if (settled.status === "fulfilled") return settled.value.text as string;
  const { reason } = settled;
  if (!(reason instanceof HotcellError)) throw reason;
  return reason.code === "NOT_FOUND" ? null : undefined;
}

/** A call that is going to fail has no preview; it is asked about all the same. */
function tryPreview(preview: () => string): string | null {
  try {
    return preview();
  } catch (error) {
    if (error instanceof HotcellError) return null;
    throw error;
  }
}

function cut(text: string): string {
  const { maxPreviewChars } = LIMITS;
  if (text.length <= maxPreviewChars) return text;
  const tail = text.slice(-maxPreviewChars / 4);
  return `${text.slice(0, (maxPreviewChars * 3) / 4)}\n[… ${text.length - maxPreviewChars} characters are not shown …]\n${tail}`;
}
