// Probe results of different machines.
import type { Trial } from "../../../src/shield/doctor-report.ts";
import type { Machine } from "../../../src/shield/probe.ts";

export const GOOD_MACHINE: Machine = {
  platform: "linux",
  arch: "x64",
  release: "6.18.0",
  isRoot: false,
  container: null,
  manager: { program: "apt-get", install: "apt-get install -y" },
  settings: {
    "user.max_user_namespaces": 15000,
    "kernel.unprivileged_userns_clone": 1,
    "kernel.apparmor_restrict_unprivileged_userns": 0,
  },
  namespaces: null,
  bubblewrap: { version: "0.8.0", isSetuid: false, runs: null },
  missing: [],
  landlock: 7,
};

export const NO_NAMESPACES: Machine = {
  ...GOOD_MACHINE,
  namespaces: "unshare: unshare failed: Operation not permitted",
};

export const GOOD_TRIAL: Trial = {
  strategy: "kernel",
  isolation: "full",
  limits: {
    time: "enforced",
    cpu: "enforced",
    memory: "enforced",
    processes: "enforced",
    fileSize: "enforced",
    openFiles: "enforced",
    disk: "polled",
    scratch: "enforced",
  },
  inside: {
    status: { NoNewPrivs: "1", Seccomp: "2", CapEff: "0000000000000000" },
    interfaces: ["lo"],
    canChangeKernel: false,
    variables: ["HOME", "PATH", "PWD"],
  },
  failure: null,
};
