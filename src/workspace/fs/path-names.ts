// Canonical relative paths taken apart; `""` is the root. Linear, for paths of thousands of names too.

export function joinPath(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

export function splitPath(path: string): { readonly directory: string; readonly name: string } {
  const slash = path.lastIndexOf("/");
  return { directory: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1) };
}

/** The names on the way down, or null when the path does not lie there. */
export function namesBelow(directory: string, path: string): string[] | null {
  if (directory === path) return [];
  if (directory === "") return path.split("/");
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1).split("/") : null;
}
