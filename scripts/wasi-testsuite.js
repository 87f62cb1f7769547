// Runs the tests of WebAssembly/wasi-testsuite (branch prod/testsuite-base) for preview1 on hotcell's WASI, from a folder
// with a copy of the repository: node scripts/wasi-testsuite.js DIR
// Exit 1 if a test fails that could pass, or if one passes that is listed as one that cannot.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { runModule } from "../dist/runners/wasm/guest/run-guest.js";
import { createPreview1 } from "../dist/runners/wasm/wasi/preview1.js";
import { machineSurroundings } from "../dist/runners/wasm/wasi/surroundings.js";
import { serveFiles } from "../dist/runners/wasm/workspace-files.js";
import { engine } from "../dist/wasm/engine.js";
import { meterModule } from "../dist/wasm/meter.js";
import { openHostWorkspace } from "../dist/workspace/directory/host.js";

/** They set times to the nanosecond, and Node sets times to the microsecond. */
const NEED_NANOSECONDS = new Set(["fd_filestat_set.wasm", "path_filestat.wasm", "symlink_filestat.wasm"]);

const [dir] = process.argv.slice(2);
if (dir === undefined) {
  console.error(
    "Usage: node scripts/wasi-testsuite.js DIR (a copy of WebAssembly/wasi-testsuite, branch prod/testsuite-base)",
  );
  process.exit(2);
}
const suites =
  fs.globSync?.(path.join(dir, "tests/*/testsuite/wasm32-wasip1")) ??
  ["assemblyscript", "c", "rust"].map((name) => path.join(dir, "tests", name, "testsuite/wasm32-wasip1"));
let unexpected = 0;
let passed = 0;
let total = 0;
for (const suite of suites) {
  for (const file of fs.readdirSync(suite).filter((name) => name.endsWith(".wasm"))) {
    const reason = runCase(suite, file);
    const isKnown = NEED_NANOSECONDS.has(file);
    total++;
    if (reason === null) passed++;
    if ((reason === null) === isKnown) unexpected++;
    if (reason !== null)
      console.log(
        `${isKnown ? "needs nanoseconds:" : "FAILED"} ${path.basename(path.resolve(suite, "../.."))}/${file}: ${isKnown ? "known" : reason}`,
      );
  }
}
console.log(`${passed} of ${total} passed`);
process.exitCode = unexpected > 0 || total === 0 ? 1 : 0;

/** Null if the case passes. */
function runCase(suite, file) {
  const about = readCase(path.join(suite, file.replace(/\.wasm$/, ".json")));
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-wasi-"));
  const output = { stdout: [], stderr: [] };
  try {
    const mounts = about.root === null ? [] : [mountCopy(path.join(suite, about.root), temporary)];
    const { bytes, names } = meterModule(fs.readFileSync(path.join(suite, file)), { maxMemoryPages: 4096 });
    const preview1 = createPreview1({
      args: [file, ...about.args],
      env: about.env,
      mounts,
      stdin: () => 0,
      stdout: (chunk) => output.stdout.push(Buffer.from(chunk)),
      stderr: (chunk) => output.stderr.push(Buffer.from(chunk)),
      surroundings: machineSurroundings(),
    });
    const module = new engine.Module(bytes);
    const end = runModule({ module, names, fuel: 10n ** 12n, preview1, hostCall: () => new Uint8Array() });
    const said = { stdout: `${Buffer.concat(output.stdout)}`, stderr: `${Buffer.concat(output.stderr)}` };
    const hasSaid = about.said.every(([stream, text]) => said[stream] === text);
    if (end.status === "exit" && end.exitCode === about.exitCode && hasSaid) return null;
    return `${end.status} ${end.exitCode} ${end.message} ${JSON.stringify(said)}`;
  } catch (error) {
    return error.stack;
  } finally {
    fs.rmSync(temporary, { recursive: true });
  }
}

/** Older cases have `dirs`, `exit_code`, `stdout`, `stderr`; newer ones list operations. */
function readCase(file) {
  const given = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  const operations = given.operations ?? [];
  const run = operations.find(({ type }) => type === "run") ?? given;
  const waited = operations.find(({ type }) => type === "wait");
  const root = given.root ?? run.root ?? given.dirs?.[0] ?? run.dirs?.[0] ?? null;
  return {
    args: run.args ?? [],
    env: run.env ?? {},
    root,
    said: [
      ...["stdout", "stderr"].flatMap((stream) =>
        given[stream] === undefined ? [] : [[stream, given[stream]]],
      ),
      ...operations.filter(({ type }) => type === "read").map(({ id = "stdout", payload }) => [id, payload]),
    ],
    exitCode: waited?.exit_code ?? run.exit_code ?? 0,
  };
}

function mountCopy(from, temporary) {
  const workspace = path.join(temporary, "workspace");
  fs.cpSync(from, workspace, { recursive: true });
  const stateDir = path.join(temporary, "state");
  fs.mkdirSync(stateDir);
  const files = openHostWorkspace({ workspace, stateDir, protectionOf: () => null });
  return { at: "/", files: serveFiles(files, { access: "write", onDenied: () => {} }) };
}
