// Builds bubblewrap's arguments for a guest. Nothing here starts a process.
import path from "node:path";

export interface GuestSandboxOptions {
  /** The real path of Node's executable. */
  readonly node: string;
  /** A directory with JavaScript modules, and the program below it. */
  readonly code: string;
  readonly main: string;
  readonly libraries: readonly { readonly at: string; readonly link: string | null }[];
}

// The guest's channel is descriptor 3.
const SECCOMP = 4;
const STATUS = 5;

/** Where the guest sees Node and its code; nobody's project is there. */
const HOME = "/hotcell";
/** nobody, also where hotcell is root. */
const USER = "65534";

export function guestArgs({ node, code, main, libraries }: GuestSandboxOptions): string[] {
  return [
    ...[
      "--unshare-user",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-net",
      "--unshare-cgroup-try",
    ],
    ...["--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "guest"],
    ...["--uid", USER, "--gid", USER],
    ...libraries.flatMap(({ at, link }) => (link === null ? ["--ro-bind", at, at] : ["--symlink", link, at])),
    ...["--ro-bind", node, `${HOME}/node`, "--ro-bind", code, `${HOME}/code`],
    // It says that the modules are ECMAScript modules.
    ...["--ro-bind", path.join(path.dirname(code), "package.json"), `${HOME}/package.json`],
    ...["--remount-ro", "/"],
    ...["--clearenv", "--chdir", "/"],
    ...["--seccomp", `${SECCOMP}`, "--json-status-fd", `${STATUS}`],
    ...["--", `${HOME}/node`, ...NODE_FLAGS, `${HOME}/code/${main}`],
  ];
}

/** The guest's own objects; its WebAssembly memory is beside them. */
const NODE_FLAGS = ["--max-old-space-size=192"];
