const NOBODY = 65534;

/** From here on this process is an ordinary user's, for good: for test files that run in a process of their own. */
export function dropRoot(): void {
  if (process.getuid?.() !== 0) return;
  process.setgroups!([]);
  process.setgid!(NOBODY);
  process.setuid!(NOBODY);
}
