// The profile for macOS's sandbox-exec, as text. What it does not allow is denied: the network altogether,
// unix sockets with it. Seatbelt compares the paths to which links lead, so it must be given those.
import path from "node:path";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";

export interface SeatbeltPlan {
  /** The cell's view of the files, its home and its temporary directory: to be read and changed. */
  readonly project: string;
  readonly home: string;
  readonly tmp: string;
  /** To be read and run, beside the system: a Homebrew, a Node. */
  readonly readable: readonly string[];
}

export function seatbeltProfile({ project, home, tmp, readable }: SeatbeltPlan): string {
  const writable = [project, home, tmp];
  const shown = [...SYSTEM, ...readable, ...writable];
  const blocks = [
    HEAD,
    allow("process-exec file-map-executable", shown.map(subpath)),
    allow("file-read*", [...shown.map(subpath), ...SETTINGS.map(literal), literal("/")]),
    allow("file-read-metadata", [...SYSTEM_LINKS, ...parentsOf(shown)].map(literal)),
    allow("file-write*", writable.map(subpath)),
    DEVICES,
    SERVICES,
    LAST_WORD,
  ];
  return `${blocks.join("\n\n")}\n`;
}

const SYSTEM = [
  "/bin",
  "/sbin",
  "/usr",
  "/System",
  "/Library/Developer/CommandLineTools",
  "/private/etc/ssl",
  "/private/var/db/timezone",
];

const SETTINGS = [
  ...["hosts", "passwd", "group", "localtime", "protocols", "services", "shells"].map(
    (name) => `/private/etc/${name}`,
  ),
  ...["bashrc", "profile", "zshenv", "zshrc", "zprofile", "paths"].map((name) => `/private/etc/${name}`),
];

const SYSTEM_LINKS = ["/etc", "/tmp", "/var"];

// The second line is of what the default does not cover.
const HEAD = `(version 1)
(deny default)
(deny process-info* file-map-executable iokit-get-properties nvram*)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)`;

const DEVICES = `(allow file-read* file-write-data
  (literal "/dev/null")
  (literal "/dev/zero"))
(allow file-read*
  (literal "/dev/random")
  (literal "/dev/urandom")
  (subpath "/dev/fd"))
(allow file-read* file-write-data file-ioctl
  (literal "/dev/dtracehelper"))`;

// Who a user is, and the notifications without which the C library's time zones don't work.
const SERVICES = `(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.notification_center"))
(allow ipc-posix-shm-read-data
  (ipc-posix-name "apple.shm.notification_center"))`;

// The last rule that fits decides.
const LAST_WORD = `(deny file-write-setugid)
(deny network*)`;

function allow(operation: string, filters: readonly string[]): string {
  return `(allow ${operation}\n${filters.map((filter) => `  ${filter}`).join("\n")})`;
}

const subpath = (at: string) => `(subpath ${text(at)})`;
const literal = (at: string) => `(literal ${text(at)})`;

/** Directories that a path leads through: to be passed, not to be listed. */
function parentsOf(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap(parents))].sort();
}

function parents(at: string): string[] {
  const above = path.posix.dirname(at);
  return above === "/" ? [] : [above, ...parents(above)];
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** A string of the profile's language, a Scheme. */
function text(at: string): string {
  if (path.posix.resolve(at) === at && !at.includes("\0"))
    return `"${at.replace(/["\\\n\r\t]/g, (char) => ESCAPES.get(char)!)}"`;
  throw new HotcellError(
    "WORKSPACE_UNUSABLE",
    `Can't write a sandbox profile for ${quote(at)}: give an absolute path, in its shortest form.`,
  );
}
