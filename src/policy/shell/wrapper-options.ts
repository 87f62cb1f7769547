// Commands that run the command in their arguments, and the words that may precede it.
import type { ShellWord } from "./command-line.ts";

export interface WrapperOptions {
  /** Short options without and with a value. */
  readonly flags?: string;
  readonly values?: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
  /** The number of words before the command that are not options. */
  readonly operands?: number;
  /** `NAME=value` may precede the command; the name may be any text. */
  readonly assigns?: boolean;
  /** The option after which the command is text for a shell. */
  readonly script?: RegExp;
  /** It starts a shell if there is no command. */
  readonly shell?: boolean;
}

export const ARCHITECTURE: WrapperOptions = {
  flags: "3BFILRSTXZv",
  longFlags: ["3gb", "32bit", "addr-no-randomize", "uname-2.6", "verbose"],
  shell: true,
};

export const RUNUSER: WrapperOptions = {
  values: "ugG",
  longValues: ["user", "group", "supp-group"],
};

export const WRAPPERS: ReadonlyMap<string, WrapperOptions> = new Map<string, WrapperOptions>([
  ["builtin", {}],
  ["busybox", {}],
  ["chroot", { longFlags: ["skip-chdir"], longValues: ["groups", "userspec"], operands: 1, shell: true }],
  [
    "chrt",
    {
      flags: "Rabdfimoprv",
      values: "DPT",
      longFlags: [
        "all-tasks",
        "batch",
        "deadline",
        "fifo",
        "idle",
        "other",
        "rr",
        "reset-on-fork",
        "verbose",
      ],
      longValues: ["sched-deadline", "sched-period", "sched-runtime"],
      operands: 1,
    },
  ],
  ["command", { flags: "p" }],
  ["doas", { flags: "Lns", values: "aCu" }],
  [
    "env",
    {
      flags: "iv0",
      values: "uC",
      longFlags: ["ignore-environment", "null", "debug"],
      longValues: ["unset", "chdir"],
      assigns: true,
    },
  ],
  ["exec", { flags: "cl", values: "a" }],
  [
    "flock",
    {
      flags: "Fcenosux",
      values: "Ew",
      longFlags: [
        "close",
        "command",
        "exclusive",
        "nb",
        "no-fork",
        "nonblock",
        "shared",
        "unlock",
        "verbose",
      ],
      longValues: ["conflict-exit-code", "timeout", "wait"],
      operands: 1,
      script: /^(-[a-zA-Z]*c|--command)$/,
    },
  ],
  ["i386", ARCHITECTURE],
  ["ionice", { flags: "t", values: "cn", longFlags: ["ignore"], longValues: ["class", "classdata"] }],
  ["linux32", ARCHITECTURE],
  ["linux64", ARCHITECTURE],
  ["nice", { flags: "0123456789", values: "n", longValues: ["adjustment"] }],
  ["nohup", {}],
  [
    "nsenter",
    {
      flags: "CFTUZaceimnpruw",
      values: "GSWt",
      longFlags: [
        "all",
        "cgroup",
        "ipc",
        "mount",
        "net",
        "no-fork",
        "pid",
        "root",
        "time",
        "user",
        "uts",
        "wd",
      ],
      longValues: ["setgid", "setuid", "target", "wdns"],
      shell: true,
    },
  ],
  [
    "prlimit",
    {
      flags: "cdefilmnqrstuvxy0123456789:=",
      values: "op",
      longFlags: ["as", "core", "cpu", "data", "fsize", "memlock", "nofile", "nproc", "rss", "stack"],
      longValues: ["output", "pid"],
    },
  ],
  [
    "setpriv",
    {
      flags: "d",
      longFlags: ["clear-groups", "init-groups", "keep-groups", "nnp", "no-new-privs", "reset-env"],
      longValues: ["ambient-caps", "bounding-set", "groups", "inh-caps", "pdeathsig", "regid", "reuid"],
    },
  ],
  ["setsid", { flags: "cfw", longFlags: ["ctty", "fork", "wait"] }],
  ["stdbuf", { values: "ioe", longValues: ["input", "output", "error"] }],
  // Without -E, which sets a variable, and -o, which may name a command.
  ["strace", { flags: "ACDTYZcdfiknqrtvwxyz", values: "IOPSUXabepsu" }],
  [
    "sudo",
    { flags: "ABbEHiknPSs", values: "CDghpRrTtUu", longValues: ["user", "group", "host"], assigns: true },
  ],
  ["taskset", { flags: "acp", longFlags: ["all-tasks", "cpu-list", "pid"], operands: 1 }],
  ["time", { flags: "apqv", values: "fo", longFlags: ["append", "portability", "verbose"] }],
  [
    "timeout",
    {
      flags: "fpv",
      values: "ks",
      longFlags: ["foreground", "preserve-status", "verbose"],
      longValues: ["kill-after", "signal"],
      operands: 1,
    },
  ],
  [
    "unshare",
    {
      flags: "CTUcfimnpru",
      values: "GRSw",
      longFlags: ["cgroup", "fork", "ipc", "map-root-user", "mount", "net", "pid", "time", "user", "uts"],
      longValues: ["root", "setgid", "setuid", "wd"],
      shell: true,
    },
  ],
  ["x86_64", ARCHITECTURE],
  [
    "xargs",
    {
      flags: "0oprtx",
      values: "adEILnPs",
      longFlags: ["null", "open-tty", "interactive", "no-run-if-empty", "verbose", "exit", "replace"],
      longValues: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars"],
    },
  ],
]);

// A quoted value stays one word, except "$@", which becomes many.
const QUOTED_ASSIGNMENT = /^\w+="[^"@]*"$/;

/** The index of the wrapped command's first word; words.length if there is none; null if it is unknown. */
export function findWrapped(words: readonly ShellWord[], options: WrapperOptions): number | null {
  let operands = options.operands ?? 0;
  let takesOptions = true;
  for (let at = 1; at < words.length; at++) {
    const { text, fixed, source } = words[at]!;
    if (options.assigns && QUOTED_ASSIGNMENT.test(source)) takesOptions = false;
    else if (text === null || !fixed) return null;
    // env sets it, sudo runs it.
    else if (options.assigns && /^\/.*=/s.test(text)) return null;
    else if (takesOptions && text.startsWith("-")) {
      const more = valuesAfter(text, options);
      if (more === null || (more > 0 && words[at + 1]?.fixed !== true)) return null;
      at += more;
      takesOptions = text !== "--";
    } else if (options.assigns && text.includes("=")) {
      takesOptions = false;
    } else if (operands-- <= 0) {
      return at;
    }
  }
  return words.length;
}

/** How many of the next words belong to an option; null for an unknown option. */
function valuesAfter(option: string, options: WrapperOptions): number | null {
  if (option === "--") return 0;
  if (!option.startsWith("--")) return valuesAfterShort(option, options);
  const [name = "", value] = option.slice(2).split("=", 2);
  const takesValue = options.longValues?.includes(name) ?? false;
  if (!takesValue && !options.longFlags?.includes(name)) return null;
  return takesValue && value === undefined ? 1 : 0;
}

function valuesAfterShort(option: string, { flags = "", values = "" }: WrapperOptions): number | null {
  const at = [...option].findIndex((letter, index) => index > 0 && !flags.includes(letter));
  if (at === -1) return 0;
  if (!values.includes(option[at]!)) return null;
  return at === option.length - 1 ? 1 : 0;
}
