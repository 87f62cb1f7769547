/** Objects, refs, logs and the index. Hooks, settings and links to other repositories are not among them. */
const GIT_DATA =
  /^\.git\/((objects\/(?!info\/)|refs\/|logs\/).|(objects|refs|logs|index|HEAD|ORIG_HEAD|COMMIT_EDITMSG|packed-refs)$)/;

/** Whether git writes the file itself when somebody commits: a person need not read it. */
export const isGitData = (path: string): boolean => GIT_DATA.test(path);

/** The paths that a person reads, and how many others are git's data. */
export function apartFromGitData<Item>(
  items: readonly Item[],
  pathOf: (item: Item) => string,
): { readonly own: Item[]; readonly gitData: number } {
  const own = items.filter((item) => !isGitData(pathOf(item)));
  return { own, gitData: items.length - own.length };
}
