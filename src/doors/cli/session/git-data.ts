import { formatCount } from "../figures.ts";

export const describeGitData = (count: number): string =>
  `${formatCount(count, "path")} of git's data in .git`;

/** The changes that a person reads, and what else there is. */
export function describeChangeCount(changes: number, gitData: number, ignored = 0): string {
  const more = [
    ...(gitData === 0 ? [] : [describeGitData(gitData)]),
    ...(ignored === 0 ? [] : [formatCount(ignored, "ignored file")]),
  ];
  return [formatCount(changes, "change"), ...more].join(", and ");
}
