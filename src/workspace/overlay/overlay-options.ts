export interface UpperLayer {
  readonly name: string;
  readonly work: string;
}

/** overlayfs follows no redirect and no reference to another file, whatever a layer's attributes contain. */
export function overlayOptions(lowers: readonly string[], upper: UpperLayer | null): string {
  const writable = upper === null ? [] : [`upperdir=${upper.name}`, `workdir=${upper.work}`];
  const isRoot = process.getuid?.() === 0;
  const off = isRoot ? ["redirect_dir=nofollow", "metacopy=off", "index=off"] : ["userxattr"];
  return [`lowerdir=${lowers.join(":")}`, ...writable, ...off].join(",");
}
