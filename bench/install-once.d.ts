export function installOnce(
  name: string,
  packages: readonly string[],
): { readonly dir: string; readonly node: string };
