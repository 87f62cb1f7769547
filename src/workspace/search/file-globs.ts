import { HotcellError } from "../../core/errors.ts";
import { compileGlob } from "../../core/glob.ts";
import { quote } from "../../core/quote.ts";

export interface FileGlobs {
  /** The path below where the search begins, and its last name. */
  wantsFile(path: string, name: string): boolean;
  wantsDirectory(path: string, name: string): boolean;
}

type Test = (path: string, name: string) => boolean;

/** A glob without `/` is about the name at any depth. One with `!` leaves out, directories too; any other says which files are wanted. */
export function compileFileGlobs(globs: readonly string[]): FileGlobs {
  const open = globs.find(hasOpenClass);
  if (open !== undefined) throw notClosed(open);
  const wanted = globs.filter((glob) => !glob.startsWith("!")).map(compileOne);
  const unwanted = globs
    .filter((glob) => glob.startsWith("!"))
    .map((glob) => compileOne(glob.slice(1).replace(/\/$/, "")));
  const isLeftOut: Test = (path, name) => unwanted.some((matches) => matches(path, name));
  return {
    wantsFile: (path, name) =>
      (wanted.length === 0 || wanted.some((matches) => matches(path, name))) && !isLeftOut(path, name),
    wantsDirectory: (path, name) => !isLeftOut(path, name),
  };
}

function compileOne(glob: string): Test {
  const suffix = /^\*([^*?[\]{}\\/]+)$/.exec(glob)?.[1];
  if (suffix !== undefined) return (_, name) => name.endsWith(suffix);
  const matches = compileGlob(glob.startsWith("/") ? glob.slice(1) : glob);
  return glob.includes("/") ? matches : (_, name) => matches(name);
}

/** As globs are read, a `]` just behind the `[` is one of its characters, and no class has a `/`. */
function hasOpenClass(glob: string): boolean {
  return glob.replace(/\\.|\[[^/][^\]/]*\]/gs, "").includes("[");
}

function notClosed(glob: string): HotcellError {
  const message = `The glob ${quote(glob)} has a [ that no ] closes in the same name. Close it, or write \\[ for the character itself.`;
  return new HotcellError("INVALID_ARGUMENTS", message);
}
