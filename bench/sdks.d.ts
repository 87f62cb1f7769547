export function installSdks(): { readonly dir: string; readonly node: string };
