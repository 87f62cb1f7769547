// Front matter is YAML between two `---` lines at the very beginning, and nothing else: a block in another
// language (`---js`) is refused, never run.
import { LIMITS } from "../../core/limits.ts";
import { frontmatterError } from "./frontmatter-error.ts";
import { readYaml, type YamlContent } from "./read-yaml.ts";

export interface Frontmatter extends YamlContent {
  /** Where the YAML stands in the text; null when there is no front matter. */
  readonly range: YamlRange | null;
}

interface YamlRange {
  readonly start: number;
  /** Where the line that closes it begins. */
  readonly end: number;
}

/** Throws INVALID_FRONTMATTER. A text without front matter has no data. */
export function parseFrontmatter(text: string): Frontmatter {
  const range = findYaml(text);
  if (range === null) return { data: {}, map: null, range };
  return { ...readYaml(text.slice(range.start, range.end)), range };
}

/** A line of four dashes or more is a rule in the body, as in all Markdown. */
function findYaml(text: string): YamlRange | null {
  const fence = /^\ufeff?---(?!-)(?<rest>[^\n]*)\n?/.exec(text);
  if (fence === null) return null;
  if (fence.groups!.rest!.trim() !== "") {
    throw frontmatterError("its first line must be --- alone, for only YAML is read");
  }
  const start = fence[0].length;
  const end = findClosing(text, start);
  if (end === -1) throw frontmatterError("no second line --- closes it");
  if (end - start > LIMITS.maxFrontmatterChars) {
    const limit = `the limit is ${LIMITS.maxFrontmatterChars}`;
    throw frontmatterError(`it has ${end - start} characters, ${limit}`);
  }
  return { start, end };
}

function findClosing(text: string, start: number): number {
  const closing = /(?<=\n)---[ \t]*\r?(?:\n|$)/g;
  closing.lastIndex = start;
  return closing.exec(text)?.index ?? -1;
}
