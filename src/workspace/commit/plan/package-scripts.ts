import { canonicalJson } from "../../../core/canonical-json.ts";
import type { Json } from "../../../core/json.ts";
import { readText } from "../../diff/read-text.ts";
import type { RootOf } from "../../fs/fingerprint.ts";
import type { Root } from "../../fs/paths.ts";
import type { CommitStep } from "./commit-step.ts";

interface BothSides {
  readonly project: Root;
  readonly view: RootOf;
}

/** Whether a step changes the scripts of a package.json; an unreadable file counts. */
export function changesScripts(step: CommitStep, { project, view }: BothSides): boolean {
  if (step.op !== "put" || !/(^|\/)package\.json$/i.test(step.path)) return false;
  if (step.content === "link") return true;
  const scripts = scriptsIn(step.text ?? readText(view(step.path), step.path));
  if (scripts === UNREADABLE) return true;
  return scripts !== NONE && scripts !== scriptsIn(readText(project, step.path) ?? "{}");
}

const NONE = "none";
const UNREADABLE = "unreadable";

function scriptsIn(text: string | null): string {
  try {
    const manifest = JSON.parse((text ?? "").replace(/^\uFEFF/, "")) as { scripts?: Json } | null;
    return manifest?.scripts === undefined ? NONE : canonicalJson(manifest.scripts);
  } catch {
    return UNREADABLE;
  }
}
