import { quote } from "../../../core/quote.ts";
import type { PathEntry } from "../../../shield/host/user-toolchains.ts";

/** One line for each directory of PATH: who it belongs to, or how commands can see it. */
export function describePath(
  entries: readonly PathEntry[],
  toolchains: readonly string[],
  project: string,
): string[] {
  const width = Math.max(0, ...entries.map(({ at }) => at.length));
  return entries.map((entry) => `    ${entry.at.padEnd(width)}  ${sayVisible(entry, toolchains, project)}`);
}

function sayVisible({ at, by, refused }: PathEntry, toolchains: readonly string[], project: string): string {
  const isIn = (dir: string) => at === dir || at.startsWith(`${dir}/`);
  if (by !== null) return by;
  if (toolchains.some(isIn)) return "toolchains";
  if (isIn(project)) return "of this project, not on the PATH of commands";
  if (refused !== null) return `not visible to commands: ${refused}`;
  return `not visible to commands; add to hotcell/config.json: "toolchains": [${quote(at)}]`;
}
