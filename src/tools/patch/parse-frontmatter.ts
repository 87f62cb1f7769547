// Front matter is YAML between two `---` lines at the beginning of the file. A block in another language (`---js`) is
// refused, never executed.
import { LIMITS } from "../../core/limits.ts";
import { frontmatterError } from "./frontmatter-error.ts";
import { readYaml, type YamlContent } from "./read-yaml.ts";

export interface Frontmatter extends YamlContent {
  /** The position of the YAML in the text; null if there is no front matter. */
  readonly range: YamlRange | null;
}

interface YamlRange {
  readonly start: number;
  /** The start of the closing line. */
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
    throw frontmatterError("its first line must be --- alone, because hotcell reads only YAML");
  }
  const start = fence[0].length;
  const end = findClosing(text, start);
  if (end === -1) throw frontmatterError("it has no closing line ---");
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
