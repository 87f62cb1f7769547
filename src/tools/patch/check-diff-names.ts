// Checks that the header of a unified diff names the file that the patch is for.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";

/** Throws PATCH_FAILED if the header names only other files, or deletes the file. */
export function checkDiffNames(diff: string, path: string): void {
  const [header = ""] = diff.split(/^@@ /m, 1);
  const old = OLD_NAME.exec(header)?.[1]?.trim();
  const new_ = NEW_NAME.exec(header)?.[1]?.trim();
  if (new_ === NO_FILE)
    throw unwanted(path, "the patch deletes the file, but fs.apply_patch only changes lines", EMPTY_IT);
  const named = [new_, old].filter((name) => name !== undefined && name !== NO_FILE);
  if (named.length === 0 || named.some((name) => isFor(name!, path))) return;
  throw unwanted(
    path,
    `the patch is for ${quote(named[0])}`,
    "Send it with the path of that file, or correct its header.",
  );
}

// `diff` writes a tab and a time after the name.
const OLD_NAME = /^--- ([^\t\n]*)/m;
const NEW_NAME = /^\+\+\+ ([^\t\n]*)/m;
const NO_FILE = "/dev/null";
const EMPTY_IT = "To empty the file, name it after +++ too. No fs tool deletes a file.";

/** A diff may have been made in a subdirectory, or with the absolute path. A name that git quoted always passes. */
function isFor(name: string, path: string): boolean {
  if (name.startsWith('"')) return true;
  const inMount = `/${path.replaceAll("\\", "/").replace(/^[./]*@[^/]*\//, "")}`;
  if (/^[/@]/.test(name)) return name.endsWith(inMount);
  return [name, name.replace(/^(?:[ab]|\.)\//, "")].some((at) => inMount.endsWith(`/${at}`));
}

function unwanted(path: string, state: string, next: string): HotcellError {
  return new HotcellError("PATCH_FAILED", `Could not patch ${quote(path)}: ${state}. ${next}`);
}
