import { formatCount } from "../figures.ts";

/** Objects, refs, logs and the index. Hooks, settings and links to other repositories are not among them. */
const GIT_DATA =
  /^\.git\/((objects\/(?!info\/)|refs\/|logs\/).|(objects|refs|logs|index|HEAD|ORIG_HEAD|COMMIT_EDITMSG|packed-refs)$)/;

/** Whether git writes the file itself when somebody commits: a person need not read it. */
export const isGitData = (path: string): boolean => GIT_DATA.test(path);

export const describeGitData = (count: number): string =>
  `${formatCount(count, "path")} of git's data in .git`;
