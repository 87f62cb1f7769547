const MAX_JUDGED_NAMES = 128;

/** The parts of a path that `protectionOf` judges; a directory's path ends in `/`. Judging takes time with the length, so a very deep path is judged only by its end and its beginning. */
export function judgedPaths(path: string, isDirectory: boolean): string[] {
  const judged = isDirectory ? `${path}/` : path;
  let end = path.length;
  let beginning = -1;
  for (let names = 0; names < MAX_JUDGED_NAMES; names++) {
    end = path.lastIndexOf("/", end - 1);
    if (end < 0) return [judged];
    beginning = path.indexOf("/", beginning + 1);
  }
  return [judged.slice(end + 1), path.slice(0, beginning + 1)];
}
