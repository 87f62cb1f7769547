import { expect, test } from "vitest";
import { GOOD_MACHINE, GOOD_TRIAL, NO_NAMESPACES } from "../../../../test/kit/worlds/machines.ts";
import { listFindings } from "../../../shield/doctor-report.ts";
import { describeDiagnosis } from "./doctor.ts";

const STATE = {
  dir: "/state",
  sessions: 2,
  sessionBytes: 1024 * 1024,
  homes: 1,
  homeBytes: 2048,
  artifactBytes: 2048,
  logBytes: 300,
  prunableLogs: 1,
};

test("what is in order takes one line each, and the end says what commands and sessions get", () => {
  const findings = listFindings(GOOD_MACHINE, GOOD_TRIAL).slice(0, 2);
  const path = [
    { at: "/home/me/.cargo/bin", by: "rustup and cargo", refused: null },
    { at: "/usr/bin", by: "system", refused: null },
    { at: "/home/me/py/bin", by: null, refused: null },
    { at: "/home/me/bin", by: null, refused: null },
    { at: "/home/me/shop/node_modules/.bin", by: null, refused: null },
    { at: "/tmp/bin", by: null, refused: "commands have a /tmp of their own" },
  ];
  const toolchains = ["/home/me/py"];
  expect(
    describeDiagnosis({
      ...GOOD_TRIAL,
      findings,
      path,
      toolchains,
      project: "/home/me/shop",
      state: STATE,
      mountsNotShown: ["node_modules"],
    }),
  ).toEqual([
    "ok  system           linux 6.18.0, x64",
    "ok  user namespaces  can be made",
    "",
    "Limits:",
    "    enforced: time, cpu, memory, processes, fileSize, openFiles, scratch",
    "    polled: disk",
    "",
    "Programs on your PATH:",
    "    /home/me/.cargo/bin              rustup and cargo",
    "    /usr/bin                         system",
    "    /home/me/py/bin                  toolchains",
    '    /home/me/bin                     not visible to commands; add to hotcell/config.json: "toolchains": ["/home/me/bin"]',
    "    /home/me/shop/node_modules/.bin  of this project, not on the PATH of commands",
    "    /tmp/bin                         not visible to commands: commands have a /tmp of their own",
    "",
    "State in /state: 2 sessions 1.0 MB, 1 home 2.0 KB, artifacts 2.0 KB, logs 300 B; hotcell audit prune removes 1 log.",
    "Sessions of this directory do not show the content of the mount at node_modules.",
    'Commands run in the full sandbox (isolation "full").',
    'Sessions use overlayfs (strategy "kernel").',
  ]);
});

test("what is not has its consequence and its fix below it", () => {
  const settings = { ...NO_NAMESPACES.settings, "user.max_user_namespaces": 0 };
  const findings = listFindings({ ...NO_NAMESPACES, settings }, GOOD_TRIAL).slice(1, 3);
  const nothing = { isolation: null, strategy: null, limits: null, path: [], toolchains: [], project: "/" };
  expect(
    describeDiagnosis({ ...nothing, findings, state: { ...STATE, prunableLogs: 0 }, mountsNotShown: [] }),
  ).toEqual([
    "NO  user namespaces           unshare: unshare failed: Operation not permitted",
    "    Sessions copy the project, and only Landlock sandboxes commands.",
    "    Fix: See below.",
    "NO  user.max_user_namespaces  0",
    "    It prevents user namespaces.",
    "    Fix: sudo sysctl -w user.max_user_namespaces=15000",
    "",
    "State in /state: 2 sessions 1.0 MB, 1 home 2.0 KB, artifacts 2.0 KB, logs 300 B.",
    "Commands cannot be sandboxed. hotcell refuses them with NO_SANDBOX.",
    "Sessions cannot be created.",
  ]);
});
