import { HotcellError } from "../../core/errors.ts";
import { compileGlob } from "../../core/glob.ts";
import { quote } from "../../core/quote.ts";

export interface FileGlobs {
  /** `path` is relative to the start of the search; `name` is its last name. */
  wantsFile(path: string, name: string): boolean;
  wantsDirectory(path: string, name: string): boolean;
}

type Test = (path: string, name: string) => boolean;

/** A glob without `/` matches the name at any depth. A glob with `!` excludes files and directories; any other selects files. */
export function compileFileGlobs(globs: readonly string[]): FileGlobs {
  const open = globs.find(hasOpenClass);
  if (open !== undefined) throw notClosed(open);
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(compileOne);
  const unwanted = globs
    .filter((glob) => glob.startsWith("!"))
    .map((glob) => compileOne(glob.slice(1).replace(/\/$/, "")));
  const isExcluded: Test = (path, name) => unwanted.some((matches) => matches(path, name));
  return {
    wantsFile: (path, name) =>
      (wanted.length === 0 || wanted.some((matches) => matches(path, name))) && !isExcluded(path, name),
    wantsDirectory: (path, name) => !isExcluded(path, name),
  };
}

function compileOne(glob: string): Test {
  const suffix = /^\*([^*?[\]{}\\/]+)$/.exec(glob)?.[1];
  if (suffix !== undefined) return (_, name) => name.endsWith(suffix);
  const matches = compileGlob(glob.startsWith("/") ? glob.slice(1) : glob);
  return glob.includes("/") ? matches : (_, name) => matches(name);
}

/** In a glob, a `]` directly after the `[` is a member of the class, and no class contains a `/`. */
function hasOpenClass(glob: string): boolean {
  return glob.replace(/\\.|\[[^/][^\]/]*\]/gs, "").includes("[");
}

function notClosed(glob: string): HotcellError {
  const message = `The glob ${quote(glob)} has a [ without a ] in the same name. Close it, or write \\[ for the character itself.`;
  return new HotcellError("INVALID_ARGUMENTS", message);
}
