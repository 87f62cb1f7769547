// Every row of test/corpus/commands_os.jsonl, run by `cell.exec`: no rules, only the shield.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cell, openCell } from "../../../src/cell.ts";
import { removeTree } from "../../kit/remove-tree.ts";
import { makeOsWorld, type OsRow, type OsWorld, type RowEnd } from "../../kit/worlds/os-world.ts";

const ROWS: readonly OsRow[] = fs
  .readFileSync(path.join(import.meta.dirname, "../../corpus/commands_os.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));

const DRAIN_MS = 150;

/** What a row lacks to do what it means: an end of its waiting and time for two debuggers to start on a busy machine; as root, the way out of where it has locked itself in. */
const COMPLETED = new Map([
  [
    "os-075",
    (row: OsRow) => ({
      ...row,
      command: row.command.replace("strace -p", "timeout 1 strace -p"),
      timeout_s: 30,
    }),
  ],
  [
    "os-115",
    (row: OsRow) => ({
      ...row,
      command: row.command.replace(
        "os.fchdir(fd)\n",
        'os.fchdir(fd)\nos.chroot(".") if os.geteuid()==0 else None\n',
      ),
    }),
  ],
]);
const WHOLE_ROWS = ROWS.map((row) => COMPLETED.get(row.id)?.(row) ?? row);

/** Where the controls of these look: a machine may have more on its disks than can be looked through in time. */
const NARROWED = new Map([
  ["os-054", (command: string, dir: string) => command.replace("find / ", `find ${dir} `)],
  ["os-055", (command: string, dir: string) => command.replace(/(?<=CANARY- )\/.*(?= 2>)/, dir)],
]);

/** Small, so that what tries to use up the machine comes to them soon. */
const LIMITS = {
  memoryBytes: 1024 ** 3,
  processes: 100,
  fileBytes: 256 * 1024 ** 2,
  diskBytes: 1024 ** 3,
  outputBytes: 8 * 1024 ** 2,
};

/** What these do in the session is discarded, which leaves files in the home and `/tmp` of the cell at most: one serves all that follow one another. */
const SHARING_A_CELL = new Set(["benign", "read-secret", "write-outside", "network", "privilege"]);

let world: OsWorld;
let cells: Cells;
beforeAll(async () => {
  world = await makeOsWorld();
  cells = createCells(world);
});
afterAll(async () => {
  await cells.close();
  await world.close();
});

describe("control: without a shield it works", () => {
  const controls = WHOLE_ROWS.filter(({ control, danger, cat }) => control && !danger && cat !== "benign");
  test.each(controls)("$id $cat: $reason", async (row) => {
    const whole = await world.prepare(row, path.join(world.dir, "base"));
    const command = NARROWED.get(row.id)?.(whole, world.dir) ?? whole;
    const end = await runOpenly(command, row, world);
    expect(world.broken(row, end, path.join(world.dir, "base"))).not.toEqual([]);
  });
});

describe("P6.2: in the cell", () => {
  const completed = WHOLE_ROWS.filter(({ id }) => COMPLETED.has(id));
  test.each([...ROWS, ...completed])("$id $cat: $reason", async (row) => {
    const base = row.cat === "overlay" ? world.workspace : path.join(world.dir, "base");
    const command = await world.prepare(row, base);
    const cell = await cells.take(row);
    const end = await runShielded(command, row, world, cell);
    await cells.leave(row);
    expect(world.broken(row, end, base)).toEqual([]);
  });
});

interface Cells {
  take(row: OsRow): Promise<Cell>;
  leave(row: OsRow): Promise<void>;
  close(): Promise<void>;
}

function createCells({ dir, workspace }: OsWorld): Cells {
  const stateDir = path.join(dir, "state");
  const kindOf = ({ cat, timeout_s }: OsRow) => `${cat} ${timeout_s}`;
  let open: { readonly cell: Cell; readonly kind: string } | null = null;
  const close = async () => {
    await open?.cell.close();
    open = null;
    removeTree(stateDir);
  };
  return {
    async take(row) {
      if (open?.kind === kindOf(row)) return open.cell;
      await close();
      const timeoutMs = row.timeout_s * 1000;
      const cell = await openCell({ workspace, stateDir, timeoutMs, limits: LIMITS });
      open = { cell, kind: kindOf(row) };
      return cell;
    },
    leave: async (row) => (SHARING_A_CELL.has(row.cat) ? open?.cell.discard() : close()),
    close,
  };
}

async function runShielded(command: string, row: OsRow, world: OsWorld, cell: Cell): Promise<RowEnd> {
  const startedAt = performance.now();
  const { output, error, meta } = await cell.exec(["bash", "-c", command]);
  const elapsedMs = performance.now() - startedAt;
  if (output === null) throw new Error(JSON.stringify(error));
  expect(meta.isolation).toBe("full");
  if (row.cat === "overlay") world.writeDiff((await cell.diff()).unified());
  const out = Buffer.from(`${output.stdout}${output.stderr}`);
  return { out, exitCode: output.exit_code as number, elapsedMs };
}

/** As a tool without any shield would: the host's environment, and at the end only the child is ended. */
async function runOpenly(command: string, row: OsRow, world: OsWorld): Promise<RowEnd> {
  const child = spawn("bash", ["-c", command], {
    cwd: world.workspace,
    env: world.hostEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
  const startedAt = performance.now();
  const exitCode = await Promise.race([
    new Promise<number | null>((resolve) => child.on("exit", resolve)),
    setTimeout(row.timeout_s * 1000, null, { ref: false }),
  ]);
  const elapsedMs = performance.now() - startedAt;
  child.kill("SIGKILL");
  // What it has left may hold its output, so that nobody waits for the end of that.
  await setTimeout(DRAIN_MS);
  return { out: Buffer.concat(chunks), exitCode, elapsedMs };
}
