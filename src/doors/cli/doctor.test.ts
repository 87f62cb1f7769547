import { expect, test } from "vitest";
import { GOOD_MACHINE, GOOD_TRIAL, NO_NAMESPACES } from "../../../test/kit/machines.ts";
import { findingsOf } from "../../shield/doctor-report.ts";
import { describeDiagnosis } from "./doctor.ts";

test("what is in order takes one line each, and the end says what commands and sessions get", () => {
  const findings = findingsOf(GOOD_MACHINE, GOOD_TRIAL).slice(0, 2);
  expect(describeDiagnosis({ ...GOOD_TRIAL, findings })).toEqual([
    "ok  system           linux 6.18.0, x64",
    "ok  user namespaces  can be made",
    "",
    "Limits:",
    "    enforced: time, cpu, memory, processes, fileSize, openFiles, scratch",
    "    polled: disk",
    "",
    'Commands are shielded fully (isolation "full").',
    'Sessions use the kernel\'s overlay (strategy "kernel").',
  ]);
});

test("what is not has its consequence and its fix below it", () => {
  const settings = { ...NO_NAMESPACES.settings, "user.max_user_namespaces": 0 };
  const findings = findingsOf({ ...NO_NAMESPACES, settings }, GOOD_TRIAL).slice(1, 3);
  const nothing = { isolation: null, strategy: null, limits: null };
  expect(describeDiagnosis({ ...nothing, findings })).toEqual([
    "NO  user namespaces           unshare: unshare failed: Operation not permitted",
    "    Sessions copy the project, and commands are shielded by Landlock only.",
    "    Fix: See below.",
    "NO  user.max_user_namespaces  0",
    "    It keeps user namespaces from being made.",
    "    Fix: sudo sysctl -w user.max_user_namespaces=15000",
    "",
    "Commands can't be shielded: they are refused with NO_SANDBOX.",
    "Sessions can't be made.",
  ]);
});
