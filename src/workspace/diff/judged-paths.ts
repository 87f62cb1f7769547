const MAX_JUDGED_NAMES = 128;

/** What of a path is judged, as `protectionOf` takes it: a directory's ends in `/`. Judging takes time with the length, so of a very deep path only the end and the beginning are. */
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
