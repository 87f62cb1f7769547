// Mounts the paths of `protect.readonly` read-only over the view that commands get. The helper opens each path without
// following a link, and mounts what it opened: a path that is swapped meanwhile leads nowhere else.
// With fs `host` each directory above such a path becomes a mount point too, because the kernel renames no mount point:
// otherwise a command could move the path to a name that is not read-only. In a session a commit prevents that.
import { spawn } from "node:child_process";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Protection } from "../../policy/protected.ts";
import { HELPER_OPTIONS } from "../fs/helper-environment.ts";
import { parentsOf } from "../fs/path-text.ts";
import type { Root } from "../fs/paths.ts";
import { hiddenPaths } from "../secrets/find-secrets.ts";
import { createSecretSearch } from "../secrets/secret-search.ts";
import { argumentsText, enterArgs, MOUNT_POINTS, type MountNamespace } from "./mount-namespace.ts";

/** Makes all read-only paths of the view read-only in a namespace. Returns another namespace object if it mounted something, because prepared sandboxes lack it. */
export type MountReadOnly = (namespace: MountNamespace) => Promise<MountNamespace>;

export function createReadOnlyMounts(
  view: Root,
  protectionOf: (path: string) => Protection | null,
  keepsParents: boolean,
): MountReadOnly {
  const search = createSecretSearch(view, (path) => (isReadOnly(protectionOf(path)) ? MATCH : null));
  /** The given namespace, the one that was returned for it, and the paths that are mounted there. */
  let last: { given: MountNamespace; returned: MountNamespace; mounted: ReadonlySet<string> } | null = null;
  return async (namespace) => {
    const paths = [...hiddenPaths((await search()).names)];
    if (paths.length > LIMITS.maxReadOnlyMounts) throw tooMany(paths.length);
    const known = last?.given === namespace ? last : null;
    const parents = keepsParents ? paths.flatMap((path) => [...parentsOf(path)]) : [];
    const wanted = [...new Set([...parents.map((path) => `${PARENT}${path}`), ...paths])];
    const missing = wanted.filter((path) => known?.mounted.has(path) !== true);
    if (missing.length > 0) await mountAll(namespace, missing);
    const returned = known !== null && missing.length === 0 ? known.returned : { ...namespace };
    last = { given: namespace, returned, mounted: new Set([...(known?.mounted ?? []), ...missing]) };
    return returned;
  };
}

/** No path begins with it. */
const PARENT = "/";

const MATCH: Protection = { class: "read-only-path", read: "refuse", write: "refuse" };

const isReadOnly = (protection: Protection | null): boolean => protection?.class === "read-only-path";

function tooMany(count: number): HotcellError {
  return new HotcellError(
    "WORKSPACE_UNUSABLE",
    `Could not run the command: protect.readonly covers ${count} separate paths, and at most ${LIMITS.maxReadOnlyMounts} can be mounted. Name whole directories, such as "infra/**".`,
  );
}

// openat2, open_tree, mount_setattr and move_mount have the same numbers on every architecture. A missing path and a
// link are skipped: there is nothing to mount.
const SCRIPT = String.raw`
use strict;
use Errno;
my $O_PATH = 010000000;
my ($OPENAT2, $OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (437, 428, 429, 442);
my ($NO_MAGICLINKS, $NO_SYMLINKS, $BENEATH) = (2, 4, 8);
my ($CLONE, $EMPTY_PATH, $RECURSIVE, $READ_ONLY) = (1, 0x1000, 0x8000, 1);
sub fail { print STDERR "$_[0]: $!"; exit 1 }
sysopen(my $view, shift @ARGV, $O_PATH) or fail('view');
open(my $paths, '<&=', 3) or fail('paths');
binmode $paths;
local $/ = "\0";
while (defined(my $path = <$paths>)) {
  chomp $path;
  my $is_parent = $path =~ s{^/}{};
  my $empty = '';
  my $how = pack('Q3', $O_PATH, 0, $NO_MAGICLINKS | $NO_SYMLINKS | $BENEATH);
  my $at = syscall($OPENAT2, fileno $view, $path, $how, 24);
  next if $at == -1 && ($!{ENOENT} || $!{ELOOP} || $!{ENOTDIR});
  $at != -1 or fail('open');
  my $tree = syscall($OPEN_TREE, $at, $empty, $CLONE | $EMPTY_PATH | $RECURSIVE);
  $tree != -1 or fail('open_tree');
  my $flags = pack('Q4', $READ_ONLY, 0, 0, 0);
  $is_parent or syscall($MOUNT_SETATTR, $tree, $empty, $EMPTY_PATH | $RECURSIVE, $flags, 32) != -1 or fail('mount_setattr');
  syscall($MOVE_MOUNT, $tree, $empty, $at, $empty, 0x44) != -1 or fail('move_mount');
}
`;

function mountAll(namespace: MountNamespace, paths: readonly string[]): Promise<void> {
  const line = [...enterArgs(namespace), "perl", "-e", SCRIPT, MOUNT_POINTS.view];
  const helper = spawn(line[0]!, line.slice(1), {
    ...HELPER_OPTIONS,
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const input = helper.stdio[3] as NodeJS.WritableStream;
  input.on("error", () => {});
  input.end(argumentsText(paths));
  let errors = "";
  helper.stderr!.on("data", (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    helper.on("error", (error) => reject(cannotMount(error.message)));
    helper.on("close", (code) => (code === 0 ? resolve() : reject(cannotMount(errors))));
  });
}

function cannotMount(reason: string): HotcellError {
  return new HotcellError(
    "NOT_SUPPORTED",
    `Could not mount the paths of protect.readonly read-only: ${reason.trim()}. Linux 5.12 or newer can. No command is run without it.`,
  );
}
