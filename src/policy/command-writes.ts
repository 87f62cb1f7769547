// What a command line writes by its redirects, as the file tools' rules and the protected paths see it.
import { createProtection, type Protection } from "./protected.ts";
import type { Rule } from "./rule.ts";
import type { CommandLine, ShellWord } from "./shell/command-line.ts";
import { isSameTool } from "./tool-names.ts";

export interface RestrictedWrite {
  readonly rule: Rule;
  readonly source: string;
}

/** The first of the rules about writing files that is also about a redirect of this line. */
export function findRestrictedWrite(
  tool: string,
  line: CommandLine,
  restrictions: readonly Rule[],
): RestrictedWrite | null {
  const writer = tool === "bash" ? "file_write" : "write_file";
  const rules = restrictions.filter((rule) => isSameTool(rule.tool, writer));
  for (const target of writtenBy(line)) {
    const path = toPath(target);
    const rule = rules.find(({ pattern, matches }) => pattern === null || (path !== null && matches(path)));
    if (rule) return { rule, source: target.source };
  }
  return null;
}

/** A path that a redirect writes and whose protection says `write`; as it was written. */
export function findProtectedWrite(
  line: CommandLine,
  write: "refuse" | "ask",
  protectionOf: (path: string) => Protection | null = createProtection(),
): string | null {
  const isSuch = (path: string | null) => path !== null && protectionOf(path)?.write === write;
  return writtenBy(line).find((target) => isSuch(toPath(target)))?.source ?? null;
}

function writtenBy(line: CommandLine): readonly ShellWord[] {
  const redirects = line.readable ? line.redirects : [];
  return redirects
    .filter(({ access, target }) => access === "write" && target.text !== "/dev/null")
    .map(({ target }) => target);
}

/** From the root, as far as the text tells: where `cd` led or a link leads is the shield's to see. */
function toPath({ text }: ShellWord): string | null {
  if (text === null) return null;
  const names: string[] = [];
  for (const name of text.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}
