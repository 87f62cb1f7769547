// Which system calls a command may not make. Everything that is not here is allowed. Refusals are errors
// that programs know how to live with, never a kill.
import type { SyscallName } from "./syscall-table.ts";

/** What else keeps the command in: its own namespaces, or Landlock among the user's other processes. */
export type Enclosed = "namespaces" | "landlock";

/**
 * A claim about the low 32 bits of an argument, after `mask`. In none of the arguments that are named here
 * does the kernel find anything in the bits above.
 */
export type Condition = { readonly arg: number; readonly mask?: number } & (
  | { readonly anyBitOf: number }
  | { readonly oneOf: readonly number[] }
  | { readonly noneOf: readonly number[] }
);

export interface SyscallRule {
  readonly calls: readonly SyscallName[];
  readonly errno: number;
  /** All must hold for a refusal; without any the call is always refused. */
  readonly when?: readonly Condition[];
  /** Only there; elsewhere the rule is not needed. */
  readonly enclosed?: Enclosed;
}

const EPERM = 1;
export const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;

/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NEW = 0x7e02_0000;
/** Only for unshare: among clone's flags this bit belongs to the exit signal. */
const CLONE_NEWTIME = 0x80;

const ADDR_NO_RANDOMIZE = 0x4_0000;
const PERSONALITY_QUERY = 0xffff_ffff;

/** The process id -1. */
const EVERYBODY = 0xffff_ffff;

const S_IFMT = 0o170000;
const S_IFCHR = 0o020000;
const S_IFBLK = 0o060000;

/** Set-user-id and set-group-id. */
const S_ISUGID = 0o6000;
/** O_CREAT and O_TMPFILE: then there is a mode. */
const MAKES_FILE = 0o20000100;

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const TIOCSETD = 0x5423;

const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

export const SECCOMP_RULES: readonly SyscallRule[] = [
  // Other views of the file system.
  { calls: ["mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount"], errno: EPERM },
  { calls: ["fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_tree_attr"], errno: EPERM },
  { calls: ["open_by_handle_at"], errno: EPERM },
  { calls: ["mknod"], errno: EPERM, when: [{ arg: 1, mask: S_IFMT, oneOf: [S_IFCHR, S_IFBLK] }] },
  { calls: ["mknodat"], errno: EPERM, when: [{ arg: 2, mask: S_IFMT, oneOf: [S_IFCHR, S_IFBLK] }] },

  // Programs that run as somebody else: with fs "host" they would be there for everybody. The mode of openat2 is in
  // memory; programs take openat when there is none.
  { calls: ["chmod", "fchmod"], errno: EPERM, when: [{ arg: 1, anyBitOf: S_ISUGID }] },
  { calls: ["fchmodat", "fchmodat2"], errno: EPERM, when: [{ arg: 2, anyBitOf: S_ISUGID }] },
  { calls: ["creat", "mknod"], errno: EPERM, when: [{ arg: 1, anyBitOf: S_ISUGID }] },
  { calls: ["mknodat"], errno: EPERM, when: [{ arg: 2, anyBitOf: S_ISUGID }] },
  {
    calls: ["open"],
    errno: EPERM,
    when: [
      { arg: 1, anyBitOf: MAKES_FILE },
      { arg: 2, anyBitOf: S_ISUGID },
    ],
  },
  {
    calls: ["openat"],
    errno: EPERM,
    when: [
      { arg: 2, anyBitOf: MAKES_FILE },
      { arg: 3, anyBitOf: S_ISUGID },
    ],
  },
  { calls: ["openat2"], errno: ENOSYS },

  // Namespaces: in a new one a command would have capabilities again. The flags of clone3 are in memory,
  // which a filter can't read; libc takes clone when there is no clone3.
  { calls: ["setns"], errno: EPERM },
  { calls: ["unshare"], errno: EPERM, when: [{ arg: 0, anyBitOf: CLONE_NEW | CLONE_NEWTIME }] },
  { calls: ["clone"], errno: EPERM, when: [{ arg: 0, anyBitOf: CLONE_NEW }] },
  { calls: ["clone3"], errno: ENOSYS },

  // Large parts of the kernel that commands hardly need. What io_uring does, no filter sees.
  { calls: ["bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie"], errno: EPERM },
  { calls: ["modify_ldt"], errno: EPERM },
  { calls: ["io_uring_setup", "io_uring_enter", "io_uring_register"], errno: ENOSYS },

  // Keyrings belong to the user, not to a namespace.
  { calls: ["add_key", "request_key", "keyctl"], errno: EPERM },

  // Other processes.
  { calls: ["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise"], errno: EPERM },
  { calls: ["kcmp", "pidfd_getfd"], errno: EPERM },
  // A limit of one second of processor time would end any process of the same user.
  { calls: ["prlimit64"], errno: EPERM, when: [{ arg: 0, noneOf: [0] }], enclosed: "landlock" },
  // Landlock keeps signals in from version 6 on; this is the one that ends everything of the user's.
  { calls: ["kill"], errno: EPERM, when: [{ arg: 0, oneOf: [EVERYBODY] }], enclosed: "landlock" },

  // The machine. Capabilities are gone as well. Without them adjtimex and clock_adjtime only tell the time.
  { calls: ["kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"], errno: EPERM },
  { calls: ["acct", "swapon", "swapoff", "quotactl", "quotactl_fd", "reboot"], errno: EPERM },
  { calls: ["settimeofday", "clock_settime", "iopl", "ioperm", "syslog", "vhangup"], errno: EPERM },

  // Others make memory executable or map page zero. Sanitizers turn off randomization.
  {
    calls: ["personality"],
    errno: EPERM,
    when: [{ arg: 0, noneOf: [0, ADDR_NO_RANDOMIZE, PERSONALITY_QUERY] }],
  },

  // Typing into the terminal of whoever started us; other line disciplines are modules of the kernel.
  { calls: ["ioctl"], errno: EPERM, when: [{ arg: 1, oneOf: [TIOCSTI, TIOCLINUX, TIOCSETD] }] },

  // A unix socket reaches services of the host, VSOCK the hypervisor. A socketpair reaches nobody else.
  // Landlock knows nothing of UDP, nor before version 4 of TCP.
  {
    calls: ["socket"],
    errno: EAFNOSUPPORT,
    when: [{ arg: 0, noneOf: [AF_INET, AF_INET6, AF_NETLINK] }],
    enclosed: "namespaces",
  },
  {
    calls: ["socket"],
    errno: EAFNOSUPPORT,
    when: [{ arg: 0, noneOf: [AF_NETLINK] }],
    enclosed: "landlock",
  },
  {
    calls: ["socket"],
    errno: EPROTONOSUPPORT,
    when: [
      { arg: 0, oneOf: [AF_NETLINK] },
      { arg: 2, noneOf: [NETLINK_ROUTE] },
    ],
  },

  // Shared memory and queues of the user's other programs, where there is no IPC namespace.
  { calls: ["shmget", "shmat", "shmctl", "mq_open", "mq_unlink"], errno: EPERM, enclosed: "landlock" },
  { calls: ["msgget", "msgsnd", "msgrcv", "msgctl"], errno: EPERM, enclosed: "landlock" },
  { calls: ["semget", "semop", "semtimedop", "semctl"], errno: EPERM, enclosed: "landlock" },
];
