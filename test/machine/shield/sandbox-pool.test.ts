// A sandbox that is prepared in advance does not change what the command gets, and leaves nothing behind.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { CellOptions } from "../../../src/cell.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { openTempCell, tempDir } from "../../kit/worlds/temp-cell.ts";

const CHILD = new URL("../../kit/children/sandbox-pool-child.mjs", import.meta.url).pathname;

async function open(options: Partial<CellOptions> = {}) {
  const temp = await openTempCell(
    { fs: "overlay", trust: "autonomous", ...options },
    { f: "project\n", "d/g": "" },
  );
  const run = async (command: string, more: JsonObject = {}) => {
    const { output, error } = await temp.cell.call({
      name: "run_command",
      arguments: { command, ...more },
    });
    return output?.stdout ?? error?.code;
  };
  return { ...temp, run };
}

type Run = Awaited<ReturnType<typeof open>>["run"];

/** Returns the process that waits for the next command. While the project is young, its view is mounted again for each command. */
async function untilOneWaits(run: Run): Promise<number> {
  return vi.waitFor(
    async () => {
      await run("true");
      const [found] = waitingOf(process.pid);
      expect(found).toBeDefined();
      return found!;
    },
    { timeout: 20_000 },
  );
}

/** By the mark in its arguments, which names the process that started it. */
function waitingOf(pid: number): number[] {
  return spawnSync("pgrep", ["-f", `hotcell:${pid}:`])
    .stdout.toString()
    .split("\n")
    .filter(Boolean)
    .map(Number);
}

const BOMB = `import subprocess
n = 0
try:
    while n < 200:
        subprocess.Popen(["sleep", "60"]); n += 1
except OSError: pass
print(n)`;

describe("a command in a prepared sandbox", () => {
  test("gets its own arguments, directory and time limit, whatever the previous command had", async () => {
    const { run, root } = await open({ fs: "host" });
    const before = await untilOneWaits(run);
    expect(await run(`printf '%s\\n' 'a "b" $c \`d\`' "é\n日本"; pwd; env | grep -c HOTCELL_`)).toBe(
      `a "b" $c \`d\`\né\n日本\n${root}\n0\n`,
    );
    expect(waitingOf(process.pid)).not.toContain(before);
    expect(await run("pwd", { cwd: "d" })).toBe(`${root}/d\n`);
    expect(await run("sleep 60", { timeout_ms: 200 })).toBe("");
  });
  test("gets an argument of the kernel's maximum length", async () => {
    const { run } = await open({ fs: "host" });
    await untilOneWaits(run);
    expect(await run(`: ${"'x'".repeat(40_000)}; echo whole`)).toBe("whole\n");
  });
  test("begins in the directory that has the name now, if the previous command replaced it", async () => {
    const { run, root } = await open({ fs: "host" });
    fs.writeFileSync(path.join(root, "d/which"), "old\n");
    const begin = (command: string) => run(command, { cwd: "d" });
    await untilOneWaits(begin);
    expect(await begin("cat which; mv ../d ../e; mkdir ../d; echo new > ../d/which")).toBe("old\n");
    expect(await begin("cat which")).toBe("new\n");
  });
  test("has no more processes than allowed", async () => {
    const { run } = await open({ fs: "host", limits: { processes: 60 } });
    await untilOneWaits(run);
    const made = Number(await run(`python3 -c '${BOMB}'`));
    expect([made > 10, made < 60]).toEqual([true, true]);
  });
  test("sees the files as they are when it begins", async () => {
    const { cell, run, root } = await open();
    await untilOneWaits(run);
    await cell.call({ name: "write_file", arguments: { path: "f", content: "changed\n" } });
    expect(await run("cat f; echo more > made")).toBe("changed\n");
    expect(await run("cat made")).toBe("more\n");
    await untilOneWaits(run);
    fs.writeFileSync(path.join(root, "d/new"), "new\n");
    expect(await run("cat d/new")).toBe("new\n");
  });
  test.each(["overlay", "host"] as const)(
    "does not meet a secret that came since, with fs %s",
    async (mode) => {
      const { run, root } = await open({ fs: mode });
      await untilOneWaits(run);
      fs.writeFileSync(path.join(root, "d/key"), "CANARY\n");
      expect(await run("cat d/key")).toBe("CANARY\n");
      await untilOneWaits(run);
      fs.writeFileSync(path.join(root, "d/.env"), "CANARY\n");
      expect(await run("cat d/.env")).toBe("");
    },
  );
  test("gets a new sandbox if the prepared one was killed, and hotcell has noticed", async () => {
    const { run } = await open({ fs: "host" });
    const waiting = await untilOneWaits(run);
    process.kill(waiting, "SIGKILL");
    await vi.waitFor(() => expect(fs.existsSync(`/proc/${waiting}`)).toBe(false), 10_000);
    expect(await run("cat f")).toBe("project\n");
  });

  test("gets a new sandbox if the prepared one is dead, and hotcell has not noticed yet", async () => {
    const { run } = await open({ fs: "host" });
    const waiting = await untilOneWaits(run);
    process.kill(waiting, "SIGKILL");
    while (!/\) [ZX] /.test(fs.readFileSync(`/proc/${waiting}/stat`, "latin1")));
    expect(await run("cat f")).toBe("project\n");
  });
});

test.each(["overlay", "host"] as const)(
  "what is being made for a command ends with its cell, with fs %s",
  async (mode) => {
    for (let round = 0; round < 8; round++) {
      const { cell, run } = await open({ fs: mode });
      await run("true");
      await run("true");
      await cell.close();
    }
    expect(waitingOf(process.pid)).toEqual([]);
  },
);
test("no program of the project runs in advance, although PATH contains the project", async () => {
  const { run, root } = await open({ fs: "host", env: { PATH: "d:/usr/bin:/bin" } });
  fs.writeFileSync(path.join(root, "d/sh"), '#!/bin/bash\necho ran >> f\nexec /bin/sh "$@"\n', {
    mode: 0o755,
  });
  expect(await run("sh -c true; cat f")).toBe("project\nran\n");
  await untilOneWaits(run);
  expect(await run("cat f")).toBe("project\nran\n");
});
test("a prepared sandbox ends with its cell, and its descriptors are closed", async () => {
  const { cell, run } = await open({ fs: "host" });
  await untilOneWaits(run);
  const { run: other, cell: second } = await open();
  const before = fs.readdirSync("/proc/self/fd").length;
  await cell.close();
  await other("true");
  await second.close();
  expect(waitingOf(process.pid)).toEqual([]);
  expect(fs.readdirSync("/proc/self/fd").length).toBeLessThan(before);
});
test("a prepared sandbox does not keep a finished process alive", async () => {
  const { child, waits } = await startChild("leave");
  expect(waits).not.toEqual([]);
  await once(child, "exit");
  expect(child.exitCode).toBe(0);
  await vi.waitFor(() => expect(waitingOf(child.pid!)).toEqual([]));
});
test("a prepared sandbox ends when hotcell is killed", async () => {
  const { child, waits } = await startChild("stay");
  expect(waits).not.toEqual([]);
  child.kill("SIGKILL");
  await vi.waitFor(() => expect(waitingOf(child.pid!)).toEqual([]));
});

/** A separate hotcell process. */
async function startChild(end: "stay" | "leave") {
  const dir = tempDir();
  fs.mkdirSync(path.join(dir, "ws"));
  const child = spawn(process.execPath, [CHILD, dir, end], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const [said] = await once(child.stdout, "data");
  return { child, waits: String(said).trim().split(" ").filter(Boolean) };
}
