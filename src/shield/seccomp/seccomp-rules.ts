// The system calls that a command may not make; all others are allowed. A refusal is an error that programs can handle,
// never a kill.
import type { SyscallName } from "./syscall-table.ts";

/**
 * The rest of the sandbox: separate namespaces around a session's view, separate namespaces around the project itself, or
 * Landlock among the user's other processes.
 */
export type Confinement = "session" | "project" | "landlock";

/**
 * A condition on the low 32 bits of an argument, after `mask`. The kernel ignores the upper bits of every argument
 * that is used here.
 */
export type Condition = { readonly arg: number; readonly mask?: number } & (
  | { readonly anyBitOf: number }
  | { readonly oneOf: readonly number[] }
  | { readonly noneOf: readonly number[] }
);

export interface SyscallRule {
  readonly calls: readonly SyscallName[];
  readonly errno: number;
  /** The call is refused if all conditions are true; without conditions it is always refused. */
  readonly when?: readonly Condition[];
  /** The only sandbox that needs the rule; all if omitted. */
  readonly confinement?: Confinement;
}

const EPERM = 1;
export const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;

/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const CLONE_NEW = 0x7e02_0000;
/** Only for unshare: in clone's flags this bit is part of the exit signal. */
const CLONE_NEWTIME = 0x80;

const ADDR_NO_RANDOMIZE = 0x4_0000;
const PERSONALITY_QUERY = 0xffff_ffff;

/** The pid -1. */
const EVERYBODY = 0xffff_ffff;

const S_IFMT = 0o170000;
const S_IFCHR = 0o020000;
const S_IFBLK = 0o060000;

/** Set-user-id and set-group-id. */
const S_ISUGID = 0o6000;
/** O_CREAT and O_TMPFILE: with these flags open has a mode argument. */
const MAKES_FILE = 0o20000100;

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const TIOCSETD = 0x5423;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

export const SECCOMP_RULES: readonly SyscallRule[] = [
  // Changes of mounts and of the root, and other ways around paths.
  { calls: ["mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount"], errno: EPERM },
  { calls: ["fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_tree_attr"], errno: EPERM },
  { calls: ["open_by_handle_at"], errno: EPERM },
  { calls: ["mknod"], errno: EPERM, when: [{ arg: 1, mask: S_IFMT, oneOf: [S_IFCHR, S_IFBLK] }] },
  { calls: ["mknodat"], errno: EPERM, when: [{ arg: 2, mask: S_IFMT, oneOf: [S_IFCHR, S_IFBLK] }] },

  // Creating set-user-id programs: with fs "host" every user of the machine could run them. The mode of openat2 is in
  // memory, which a filter cannot read; without openat2 programs use openat.
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

  // In a new namespace a command would have capabilities again. The flags of clone3 are in memory, which a filter
  // cannot read; without clone3 libc uses clone.
  { calls: ["setns"], errno: EPERM },
  { calls: ["unshare"], errno: EPERM, when: [{ arg: 0, anyBitOf: CLONE_NEW | CLONE_NEWTIME }] },
  { calls: ["clone"], errno: EPERM, when: [{ arg: 0, anyBitOf: CLONE_NEW }] },
  { calls: ["clone3"], errno: ENOSYS },

  // Large parts of the kernel that commands hardly need. A filter does not see the operations of io_uring.
  { calls: ["bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie"], errno: EPERM },
  { calls: ["modify_ldt"], errno: EPERM },
  { calls: ["io_uring_setup", "io_uring_enter", "io_uring_register"], errno: ENOSYS },

  // Keyrings belong to the user, not to a namespace.
  { calls: ["add_key", "request_key", "keyctl"], errno: EPERM },

  // Access to other processes.
  { calls: ["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise"], errno: EPERM },
  { calls: ["kcmp", "pidfd_getfd"], errno: EPERM },
  // With a limit of one second of CPU time a command could end any process of the same user.
  { calls: ["prlimit64"], errno: EPERM, when: [{ arg: 0, noneOf: [0] }], confinement: "landlock" },
  // Landlock restricts signals only from version 6 on. kill(-1) would end all processes of the user.
  { calls: ["kill"], errno: EPERM, when: [{ arg: 0, oneOf: [EVERYBODY] }], confinement: "landlock" },

  // Control of the machine. The command has no capabilities either; without them adjtimex and clock_adjtime only read
  // the time.
  { calls: ["kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"], errno: EPERM },
  { calls: ["acct", "swapon", "swapoff", "quotactl", "quotactl_fd", "reboot"], errno: EPERM },
  { calls: ["settimeofday", "clock_settime", "iopl", "ioperm", "syslog", "vhangup"], errno: EPERM },

  // Other personalities make memory executable or map page zero. Sanitizers need ADDR_NO_RANDOMIZE.
  {
    calls: ["personality"],
    errno: EPERM,
    when: [{ arg: 0, noneOf: [0, ADDR_NO_RANDOMIZE, PERSONALITY_QUERY] }],
  },

  // Injecting input into our terminal. Setting another line discipline loads a kernel module.
  { calls: ["ioctl"], errno: EPERM, when: [{ arg: 1, oneOf: [TIOCSTI, TIOCLINUX, TIOCSETD] }] },

  // VSOCK reaches the hypervisor. Through a unix socket in the project a command would reach a service of the host; a
  // socket below an overlay refuses connections, because overlayfs has inodes of its own. A socketpair connects only to
  // itself. Landlock does not restrict UDP, nor TCP before version 4.
  {
    calls: ["socket"],
    errno: EAFNOSUPPORT,
    when: [{ arg: 0, noneOf: [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] }],
    confinement: "session",
  },
  {
    calls: ["socket"],
    errno: EAFNOSUPPORT,
    when: [{ arg: 0, noneOf: [AF_INET, AF_INET6, AF_NETLINK] }],
    confinement: "project",
  },
  {
    calls: ["socket"],
    errno: EAFNOSUPPORT,
    when: [{ arg: 0, noneOf: [AF_NETLINK] }],
    confinement: "landlock",
  },
  {
    calls: ["socket"],
    errno: EPROTONOSUPPORT,
    when: [
      { arg: 0, oneOf: [AF_NETLINK] },
      { arg: 2, noneOf: [NETLINK_ROUTE] },
    ],
  },

  // Shared memory and queues of the user's other programs, because Landlock has no IPC namespace.
  { calls: ["shmget", "shmat", "shmctl", "mq_open", "mq_unlink"], errno: EPERM, confinement: "landlock" },
  { calls: ["msgget", "msgsnd", "msgrcv", "msgctl"], errno: EPERM, confinement: "landlock" },
  { calls: ["semget", "semop", "semtimedop", "semctl"], errno: EPERM, confinement: "landlock" },
];
