// A guest reads and writes below a directory that a background command exchanges with a link that leads outside.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import type { Cell } from "../../../src/cell.ts";
import { wasmTool } from "../../../src/tools/wasm/wasm-tool.ts";
import { compile } from "../native/compile.ts";
import { openTempCell, tempDir } from "../worlds/temp-cell.ts";
import { command, makeToolFolder } from "../worlds/wasm-tool-folder.ts";

const HOST_ROUNDS_AT_ONCE = 4000;

/** By WASI: opens d/f and reads a byte, then makes d/w. Its exit code has how often it saw inside and neither, and whether it saw outside. */
const wasiGuest = (rounds: number) =>
  command(
    `(loop $l
      (local.set $e (call $open (i32.const 3) (i32.const 1) (i32.const 1024) (i32.const 3) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 20)))
      (if (local.get $e) (then (call $add (i32.const 3008))) (else
        (i32.store (i32.const 8) (i32.const 2048)) (i32.store (i32.const 12) (i32.const 1))
        (drop (call $read (i32.load (i32.const 20)) (i32.const 8) (i32.const 1) (i32.const 24)))
        (if (i32.eq (i32.load8_u (i32.const 2048)) (i32.const 67)) (then (call $add (i32.const 3004))) (else (call $add (i32.const 3000))))
        (drop (call $close (i32.load (i32.const 20))))))
      (if (i32.eqz (call $open (i32.const 3) (i32.const 1) (i32.const 1027) (i32.const 3) (i32.const 1) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 20)))
        (then (drop (call $close (i32.load (i32.const 20))))))
      (i32.store (i32.const 3012) (i32.add (i32.load (i32.const 3012)) (i32.const 1)))
      (br_if $l (i32.lt_u (i32.load (i32.const 3012)) (i32.const ${rounds}))))
    (call $exit (i32.add (i32.shl (i32.ne (i32.load (i32.const 3004)) (i32.const 0)) (i32.const 30))
      (i32.add (i32.shl (i32.load (i32.const 3000)) (i32.const 15)) (i32.load (i32.const 3008)))))`,
    "d/fd/w",
  )
    .replace(
      "(memory",
      `(import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
       (memory`,
    )
    .replace(
      "(func $say",
      "(func $add (param $at i32) (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))) (func $say",
    );
const readCounts = (exitCode: number): Seen => ({
  outside: exitCode >>> 30,
  inside: (exitCode >>> 15) & 0x7fff,
  refused: exitCode & 0x7fff,
});

/** Rounds, by what they saw; of those by WASI, `outside` is 0 or 1. */
interface Seen {
  readonly outside: number;
  readonly inside: number;
  readonly refused: number;
}

const INSIDE = "inside";
const OUTSIDE = "CANARY";

/** By host calls. */
const HOST_GUEST = `export default ({ rounds }, host) => {
  const seen = {};
  const tried = (work) => { try { return work() } catch (e) { return e.code } };
  for (let n = 0; n < rounds; n++) {
    const one = tried(() => host.call("workspace.read", { path: "d/f" }).content);
    seen[one] = (seen[one] ?? 0) + 1;
    tried(() => host.call("workspace.write", { path: "d/w", content: "w" }));
  }
  return seen;
}`;

export const RACE_MODES = {
  host: { fs: "host" },
  overlay: { fs: "overlay" },
  clone: { fs: "overlay", strategy: "clone" },
} as const;
export type RaceMode = keyof typeof RACE_MODES;

/**
 * Throws if one of the rounds, half by WASI and half by host calls, leads outside, or if fewer than a tenth of
 * the rounds succeed, or if no round of either half succeeds or is refused. In a session a background command swaps them; with fs `host`, where there is none, a process of the machine does.
 */
export async function raceGuest(rounds: number, mode: RaceMode): Promise<void> {
  const capabilities = { capabilities: { filesystem: "write" } };
  const limits = { timeout: 3000, fuel: Number.MAX_SAFE_INTEGER };
  const dirs = [
    await makeToolFolder({ wat: wasiGuest(rounds / 2) }, { name: "by_wasi", ...capabilities, limits }),
    await makeToolFolder({ js: HOST_GUEST }, { name: "by_host", ...capabilities, limits }),
  ];
  const tools = dirs.map((dir) => wasmTool({ path: dir, grant: { filesystem: "write" } }));
  const options = { tools, trust: "autonomous", timeoutMs: 3_000_000, ...RACE_MODES[mode] } as const;
  const { cell, root } = await openTempCell(options);
  const outside = makeOutside(root);
  const isSwapping = await (mode === "host"
    ? swapByProcess(root, outside)
    : swapByCommand(cell, root, outside));

  const byWasi = await cell.call({ name: "by_wasi", arguments: {} });
  const seenByWasi = readCounts(Number(/exit code (\d+)/.exec(`${byWasi.error?.message}`)?.[1]));
  checkSeen(seenByWasi);
  const seen: Record<string, number> = {};
  for (let left = rounds / 2; left > 0; left -= HOST_ROUNDS_AT_ONCE) {
    const args = { rounds: Math.min(left, HOST_ROUNDS_AT_ONCE) };
    const { output, error } = await cell.call({ name: "by_host", arguments: args });
    expect(error).toBeNull();
    for (const [one, count] of Object.entries(output ?? {})) seen[one] = (seen[one] ?? 0) + Number(count);
  }
  expect(isSwapping()).toBe(true);
  const { [OUTSIDE]: escapes = 0, [INSIDE]: inside = 0, SYMLINK_OUTSIDE_WORKSPACE: refused = 0 } = seen;
  checkSeen({ outside: escapes, inside, refused });
  expect(seenByWasi.inside + inside).toBeGreaterThanOrEqual(rounds / 10);
  expect(fs.readdirSync(outside)).toEqual(["f"]);
}

function checkSeen({ outside, inside, refused }: Seen): void {
  expect(outside).toBe(0);
  expect(inside).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
}

/** The control: whoever checks the path first and opens it then reads outside. Gives the number of escapes. */
export async function raceCheckThenOpen(rounds: number): Promise<number> {
  const root = path.join(tempDir(), "ws");
  fs.mkdirSync(root);
  await swapByProcess(root, makeOutside(root));
  const file = path.join(root, "d/f");
  let escapes = 0;
  for (let round = 0; round < rounds; round++) {
    try {
      if (!fs.realpathSync(file).startsWith(`${root}/`)) continue;
      if (fs.readFileSync(file, "utf8") === OUTSIDE) escapes++;
    } catch {}
  }
  return escapes;
}

type IsSwapping = () => boolean;

/** The link is absolute: a relative one would lead elsewhere where the view of a session is mounted. */
async function swapByCommand(cell: Cell, root: string, outside: string): Promise<IsSwapping> {
  compile("swap", root);
  const command = `mkdir d; printf ${INSIDE} > d/f; ln -s ${outside} link; exec ./swap d link`;
  const { output } = await cell.call({ name: "run_command", arguments: { command, background: true } });
  const id = `${(output as { process_id?: string } | null)?.process_id}`;
  while (!cell.processes.output(id).stdout.includes("ready")) await setTimeout(10);
  return () => cell.processes.list().some((one) => one.id === id && one.end === null);
}

async function swapByProcess(root: string, outside: string): Promise<IsSwapping> {
  const program = compile("swap", path.dirname(root));
  fs.mkdirSync(path.join(root, "d"));
  fs.writeFileSync(path.join(root, "d/f"), INSIDE);
  fs.symlinkSync(outside, path.join(root, "link"));
  const swapper = spawn(program, ["d", "link"], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void swapper.kill("SIGKILL"));
  await once(swapper.stdout, "data");
  return () => swapper.exitCode === null;
}

function makeOutside(root: string): string {
  const outside = path.join(path.dirname(root), "outside");
  fs.mkdirSync(outside);
  fs.writeFileSync(path.join(outside, "f"), OUTSIDE);
  return outside;
}
