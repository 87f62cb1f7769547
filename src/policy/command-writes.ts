// Checks the redirects of a command line against the rules of file tools and the protected paths.
import { createProtection, type Protection } from "./protected.ts";
import type { Rule } from "./rule.ts";
import type { CommandLine, ShellWord } from "./shell/command-line.ts";
import { isSameTool } from "./tool-names.ts";

export interface RestrictedWrite {
  readonly rule: Rule;
  readonly source: string;
}

/** The file tool whose rules apply to the redirects of a command tool. */
export function writerOf(tool: string): string {
  return tool === "bash" ? "file_write" : "write_file";
}

/** The first rule on writing files that matches a redirect of this line. */
export function findRestrictedWrite(
  tool: string,
  line: CommandLine,
  restrictions: readonly Rule[],
): RestrictedWrite | null {
  const rules = rulesOnWrites(tool, restrictions);
  for (const target of writtenBy(line)) {
    const path = toPath(target);
    const rule = rules.find(({ pattern, matches }) => pattern === null || (path !== null && matches(path)));
    if (rule) return { rule, source: target.source };
  }
  return null;
}

/** The first redirect whose target the shell expands, if a rule restricts the paths that may be written. */
export function findUnknownWrite(
  tool: string,
  line: CommandLine,
  rules: readonly Rule[],
): RestrictedWrite | null {
  const rule = rulesOnWrites(tool, rules).find(
    ({ decision, pattern }) => decision !== "allow" && pattern !== null,
  );
  const target = rule && writtenBy(line).find(({ fixed }) => !fixed);
  return target ? { rule, source: target.source } : null;
}

function rulesOnWrites(tool: string, rules: readonly Rule[]): readonly Rule[] {
  return rules.filter((rule) => isSameTool(rule.tool, writerOf(tool)));
}

/** The target of a redirect, as written, whose protection of writes is `write`. */
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

/** The path from the root, as far as the text shows it. Only the sandbox sees the effect of `cd` and of links. */
function toPath({ text }: ShellWord): string | null {
  if (text === null) return null;
  const names: string[] = [];
  for (const name of text.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}
