// The overlay on a repository outside the project, for the scripts that prepare a mount namespace for commands.
import { REPOSITORY_UPPER, type RepositoryOverlay } from "../layers/repository-layer.ts";
import { overlayOptions } from "./overlay-options.ts";

export const REPOSITORY_MOUNT_POINT = "/sys/repository";

// The script mounts the directory that it has opened, if that is still the one that was checked.
const LOWER = 5;

/** Needs `repositoryArgs` as the arguments $5 to $7. */
export const MOUNT_REPOSITORY = `{ [ -z "$5" ] || (
  cd "$5" && exec ${LOWER}<"$6" && [ "$(readlink /proc/self/fd/${LOWER})" = "$6" ] &&
  mount -t overlay hotcell -o "$7,nodev" ${REPOSITORY_MOUNT_POINT}
); }`;

export const UNMOUNT_REPOSITORY = `{ [ -z "$5" ] || umount --lazy ${REPOSITORY_MOUNT_POINT}; }`;

export function repositoryArgs(repository: RepositoryOverlay | null): string[] {
  if (repository === null) return ["", "", ""];
  return [repository.layer, repository.path, overlayOptions([`/proc/self/fd/${LOWER}`], REPOSITORY_UPPER)];
}
