// What this machine gives: where the shield is missing, these fail. And what is said where it is missing.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Diagnosis } from "../../../src/doors/cli/doctor/doctor.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { runWithoutNamespaces } from "../../kit/worlds/without-namespaces.ts";

const CLI = path.join(ROOT, "bin/hotcell.js");
const NOBODY = 65534;
const USERS = IS_ROOT ? [0, NOBODY] : [process.getuid!()];

interface World {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A home that belongs to this user. */
function makeWorld(uid: number): World {
  const home = tempDir();
  if (IS_ROOT) fs.chownSync(home, uid, uid);
  return { home, env: { PATH: process.env.PATH!, HOME: home, HOTCELL_STATE_DIR: path.join(home, "state") } };
}

function diagnose(uid: number, { home, env }: World) {
  const identity = IS_ROOT ? { uid, gid: uid } : {};
  const { status, stdout } = spawnSync(process.execPath, [CLI, "doctor", "--json"], {
    ...identity,
    env,
    cwd: home,
    encoding: "utf8",
  });
  return { status, diagnosis: JSON.parse(stdout) as Diagnosis };
}

describe.each(USERS)("on this machine, for the user %d,", (uid) => {
  test("commands are shielded fully, and sessions use the kernel's overlay", () => {
    const { status, diagnosis } = diagnose(uid, makeWorld(uid));
    const { isolation, strategy, findings } = diagnosis;
    expect({ status, isolation, strategy, failing: findings.filter(({ ok }) => !ok) }).toEqual({
      ...{ status: 0, isolation: "full", strategy: "kernel" },
      failing: [],
    });
  });

  test("doctor leaves nothing behind", () => {
    const world = makeWorld(uid);
    diagnose(uid, world);
    expect(fs.readdirSync(world.env.HOTCELL_STATE_DIR!)).toEqual([]);
  });
});

describe.runIf(IS_ROOT)("where no user namespace can be made", () => {
  const setting = "user.max_user_namespaces";

  test("an ordinary user has Landlock, and is told why and how to change it", async () => {
    const { env } = makeWorld(NOBODY);
    const { status, stdout } = await runWithoutNamespaces(
      NOBODY,
      [process.execPath, CLI, "doctor", "--json"],
      env,
    );
    const { isolation, strategy, findings, limits } = JSON.parse(stdout) as Diagnosis;
    expect({ status, isolation, strategy, scratch: limits?.scratch }).toEqual({
      ...{ status: 1, isolation: "landlock", strategy: "clone", scratch: "none" },
    });
    expect(findings.find(({ name }) => name === setting)).toMatchObject({
      fix: `sudo sysctl -w ${setting}=15000`,
    });
  });

  test("root has nothing, and is told so", async () => {
    const { env } = makeWorld(0);
    const { status, stdout } = await runWithoutNamespaces(
      0,
      [process.execPath, CLI, "doctor", "--json"],
      env,
    );
    const { isolation, findings } = JSON.parse(stdout) as Diagnosis;
    expect({ status, isolation }).toEqual({ status: 1, isolation: null });
    expect(findings.find(({ name }) => name === setting)).toMatchObject({
      fix: `sysctl -w ${setting}=15000`,
    });
  });

  test("a command on the project itself is refused", async () => {
    const { home, env } = makeWorld(NOBODY);
    const argv = [
      process.execPath,
      CLI,
      "exec",
      "--fs",
      "host",
      "--workspace",
      makeProject(home),
      "--",
      "true",
    ];
    const { status, stderr } = await runWithoutNamespaces(NOBODY, argv, env);
    expect({ status, stderr }).toEqual({
      status: 125,
      stderr: expect.stringContaining("only a session's copy of the project can be sandboxed this way"),
    });
  });
});

describe.runIf(IS_ROOT)("where bubblewrap is missing", () => {
  const hidden = (home: string, ...args: string[]) => {
    const script = 'mount --bind /dev/null "$(command -v bwrap)" && exec "$@"';
    const line = [
      "--mount",
      "--propagation",
      "private",
      "sh",
      "-c",
      script,
      "sh",
      process.execPath,
      CLI,
      ...args,
    ];
    const env = { ...process.env, HOTCELL_STATE_DIR: path.join(home, "state") };
    return spawnSync("unshare", line, { cwd: home, env, encoding: "utf8" });
  };

  test("doctor gives the line that installs it", () => {
    const { status, stdout } = hidden(tempDir(), "doctor", "--json");
    const { isolation, findings } = JSON.parse(stdout) as Diagnosis;
    expect({ status, isolation }).toEqual({ status: 1, isolation: null });
    expect(findings.find(({ name }) => name === "bubblewrap")).toMatchObject({
      found: "not installed in /usr/sbin, /usr/bin, /sbin, /bin",
      fix: expect.stringMatching(/ bubblewrap$/),
    });
  });

  test("a command is refused with that line, though Landlock could be had", () => {
    const home = tempDir();
    const { status, stderr } = hidden(home, "exec", "--workspace", makeProject(home), "--", "true");
    expect({ status, stderr }).toEqual({
      status: 125,
      stderr: expect.stringMatching(/missing: bubblewrap\. Install it: .* bubblewrap\. Run hotcell doctor\./),
    });
  });
});

function makeProject(home: string): string {
  const project = path.join(home, "project");
  fs.mkdirSync(project);
  const { uid, gid } = fs.statSync(home);
  fs.chownSync(project, uid, gid);
  return project;
}
