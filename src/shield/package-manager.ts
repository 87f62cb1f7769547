/** Installs programs on this machine. The packages that hotcell needs have the same name in all package managers. */
export interface PackageManager {
  readonly program: string;
  readonly install: string;
}

export const PACKAGE_MANAGERS: readonly PackageManager[] = [
  { program: "apt-get", install: "apt-get install -y" },
  { program: "dnf", install: "dnf install -y" },
  { program: "pacman", install: "pacman -S --noconfirm" },
  { program: "apk", install: "apk add" },
];

export interface Installing {
  readonly manager: PackageManager | null;
  readonly isRoot: boolean;
}

export function installLine(packages: readonly string[], { manager, isRoot }: Installing): string {
  const names = packages.join(" ");
  return manager === null
    ? `Install ${names} with the package manager of this system.`
    : asRoot(`${manager.install} ${names}`, isRoot);
}

export function asRoot(line: string, isRoot: boolean): string {
  return isRoot ? line : `sudo ${line}`;
}
