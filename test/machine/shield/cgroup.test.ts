import { spawn } from "node:child_process";
import { pbkdf2 } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createCgroups } from "../../../src/shield/process/cgroup.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const MiB = 1024 * 1024;

test.runIf(IS_ROOT)(
  "a cgroup that is closed while a process is added writes into no file that takes over its descriptors",
  async () => {
    const child = spawn("sleep", ["600"]);
    onTestFinished(() => void child.kill());
    const cgroup = createCgroups()({ memoryBytes: 256 * MiB, processes: 32 })!;
    // While all threads of the pool are busy, no write begins.
    const busy = Array.from({ length: 4 }, () => promisify(pbkdf2)("", "", 400_000, 64, "sha512"));
    const added = cgroup.add(child.pid!);
    const closed = cgroup.close();
    const dir = tempDir();
    const files = Array.from({ length: 8 }, (_, at) => path.join(dir, `${at}`));
    const descriptors = files.map((file) => fs.openSync(file, "w"));
    await Promise.all(busy);
    await Promise.allSettled([added]);
    child.kill();
    await closed;
    for (const fd of descriptors) fs.closeSync(fd);
    expect(files.map((file) => fs.readFileSync(file, "utf8"))).toEqual(files.map(() => ""));
  },
);
