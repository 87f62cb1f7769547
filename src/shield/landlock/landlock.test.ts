import { describe, expect, test } from "vitest";
import { type LandlockPlan, landlockArgs, launcherArgs } from "./landlock.ts";
import { LANDLOCK_LAUNCHER } from "./landlock-launcher.ts";
import { LANDLOCK_SUPERVISOR } from "./landlock-supervisor.ts";

const PLAN: LandlockPlan = {
  arch: "x64",
  readable: ["/usr", "/etc/ld.so.cache"],
  writable: ["/view", "/dev/null"],
  descriptors: { link: 3, seccomp: 4, env: 5 },
  limiter: ["prlimit", "--nproc=9", "--"],
  argv: ["bash", "-c", "echo --rw / -- $HOME"],
};

describe("the arguments of the Landlock launcher", () => {
  test("name the calls by number, then what may be read and changed, then the command", () => {
    expect(launcherArgs(PLAN)).toEqual([
      ...["perl", "-e", LANDLOCK_LAUNCHER, "--"],
      ...["--prctl", "157", "--capset", "126", "--setsid", "112", "--getsid", "124"],
      ...["--link", "3", "--seccomp", "4", "--env", "5"],
      ...["--ro", "/usr", "--ro", "/etc/ld.so.cache", "--rw", "/view", "--rw", "/dev/null"],
      ...["--", "bash", "-c", "echo --rw / -- $HOME"],
    ]);
  });

  test("have the numbers of arm64 there", () => {
    expect(launcherArgs({ ...PLAN, arch: "arm64" }).slice(4, 12)).toEqual([
      ...["--prctl", "167", "--capset", "91", "--setsid", "157", "--getsid", "156"],
    ]);
  });

  test("name the descriptor of which standard error is to be a copy", () => {
    const descriptors = { ...PLAN.descriptors, stderr: 1 };
    const args = launcherArgs({ ...PLAN, descriptors });
    expect(args.slice(12, 20)).toEqual(["--link", "3", "--seccomp", "4", "--env", "5", "--stderr", "1"]);
  });

  test("keep a path that looks like an option behind its own option", () => {
    const args = launcherArgs({ ...PLAN, readable: ["--"], writable: ["--ro"] });
    expect(args.slice(18)).toEqual(["--ro", "--", "--rw", "--ro", "--", ...PLAN.argv]);
  });
});

test("the supervisor runs what sets limits, and that the launcher", () => {
  expect(landlockArgs(PLAN)).toEqual([
    ...["perl", "-e", LANDLOCK_SUPERVISOR, "--"],
    ...["--prctl", "157", "--setsid", "112", "--link", "3", "--"],
    ...PLAN.limiter,
    ...launcherArgs(PLAN),
  ]);
});
