// Shows the person who approves a call what it would change.
import { hash } from "node:crypto";
import { HotcellError } from "../../core/errors.ts";
import { inertJson } from "../../core/inert-json.ts";
import { LIMITS } from "../../core/limits.ts";
import { hunksOf } from "../../workspace/diff/hunks.ts";
import type { WorkspaceFS } from "../../workspace/files/workspace-fs.ts";
import { runCooperatively } from "../../workspace/fs/cooperative.ts";
import { showName } from "../../workspace/fs/names.ts";
import type { CallParts } from "../call-parts.ts";
import type { PreparedCall } from "../prepare.ts";
import { describeScripts, scriptsOf } from "./scripts.ts";

export interface CallPreview {
  readonly text: string;
  /** Which version of the file the diff is of, or of the scripts that a command runs; or the hash of the plan. */
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
  const scripts = scriptsOf(call);
  if (scripts.length > 0) return previewScripts(call, scripts, parts, signal);
  const [path] = decision.paths;
  if (tool.preview === undefined || path === undefined) return null;
  const found = await readNow(call, (files) => read(files, path), parts, signal);
  if (found === undefined) return null;
  const before = found === null ? null : found.toString("utf8");
  const after = tryPreview(() => tool.preview!(args, before));
  if (after === null) return null;
  const name = showName(path);
  const hunks = hunksOf(path, before ?? "", after).map(({ header, lines }) => [header, ...lines].join("\n"));
  const text = [`--- ${before === null ? "/dev/null" : name}`, `+++ ${name}`, ...hunks].join("\n");
  return { text: cut(text), version: versionOf(found) };
}

/** The arguments, and the version of each script that the command line runs. */
async function previewScripts(
  call: PreparedCall,
  scripts: readonly string[],
  parts: CallParts,
  signal: AbortSignal,
): Promise<CallPreview | null> {
  const describe = (files: WorkspaceFS) => runCooperatively(describeScripts(scripts, files), signal);
  const found = await readNow(call, describe, parts, signal);
  if (found === undefined || found.length === 0) return null;
  const text = [inertJson(call.arguments, 2), ...found].join("\n");
  return { text: cut(text), version: found.join("\n") };
}

const versionOf = (found: Buffer | null): string =>
  found === null ? "absent" : hash("sha256", found, "hex");

/** Whether the file is still the one that the person saw. */
export async function isStillShown(
  call: PreparedCall,
  { version }: CallPreview,
  parts: CallParts,
  signal: AbortSignal,
): Promise<boolean> {
  return (await previewCall(call, parts, signal))?.version === version;
}

/**
 * Throws unless the file or script is still the one that the person saw. To be called in the step in which the tool
 * runs: while the call waited for others, they or the user may have changed it. A plan is checked by the commit.
 */
export async function checkStillShown(
  call: PreparedCall,
  { version }: CallPreview,
  signal: AbortSignal,
): Promise<void> {
  const { tool, decision } = call;
  const { files } = decision.place;
  const scripts = scriptsOf(call);
  if (scripts.length > 0) {
    const found = await runCooperatively(describeScripts(scripts, files), signal);
    if (found.join("\n") !== version) throw notAsShown(tool.name, scripts.join(" "));
    return;
  }
  const [path] = decision.paths;
  if (tool.preview === undefined || path === undefined) return;
  const found = read(files, path);
  if (found === undefined || versionOf(found) !== version) throw notAsShown(tool.name, path);
}

function notAsShown(tool: string, path: string): HotcellError {
  const message = `${tool} was not run: "${showName(path)}" changed after it was shown to the person who approved the call. Read it again, and repeat the call if it is still right.`;
  return new HotcellError("PRECONDITION_FAILED", message, { path });
}

async function readNow<T>(
  { tool, start, decision: { place } }: PreparedCall,
  work: (files: WorkspaceFS) => T | Promise<T>,
  { runInContext }: CallParts,
  signal: AbortSignal,
): Promise<T | undefined> {
  const about = {
    id: start.id,
    tool: tool.name,
    effect: "read",
    runsCommands: false,
    usesFiles: true,
  } as const;
  let found: T | undefined;
  const { settled } = await runInContext({ ...about, signal }, async () => {
    found = await work(place.files);
    return {};
  });
  signal.throwIfAborted();
  if (settled.status === "rejected" && !(settled.reason instanceof HotcellError)) throw settled.reason;
  return found;
}

/** Null if there is no such file; undefined if its text can't be shown, such as that of a huge file. */
function read(files: WorkspaceFS, path: string): Buffer | null | undefined {
  try {
    return files.read(path);
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    return error.code === "NOT_FOUND" ? null : undefined;
  }
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
