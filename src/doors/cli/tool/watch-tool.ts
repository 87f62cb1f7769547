import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../../core/errors.ts";
import { interruptible } from "../interruptible.ts";
import { type ExitCode, type Io, printLines } from "../io.ts";
import { buildTool } from "./build-tool.ts";
import { testTool } from "./test-tool.ts";

/** Builds and tests, and again after each change, until Ctrl-C. */
export async function watchTool(io: Io, dir: string): Promise<ExitCode> {
  const folder = path.resolve(io.cwd, dir);
  await interruptible("watch the tool", async (signal) => {
    while (!signal.aborted) {
      await attempt(io, () => buildTool(io, dir));
      const tested = fingerprint(folder);
      await attempt(io, () => testTool(io, dir));
      printLines(io, "Waiting for a change. Ctrl-C ends it.");
      await changed(folder, tested, signal);
    }
  });
  return 0;
}

async function attempt(io: Io, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
    printLines(io, error.message);
  }
}

const POLL_MS = 200;

/** By content, and not by events: an editor writes in many ways, and the build itself writes the manifest. */
function changed(folder: string, tested: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setInterval(() => fingerprint(folder) !== tested && end(), POLL_MS);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}

const SOURCES = ["manifest.json", "tool.c", "tool.ts", "tool.js"];

function fingerprint(folder: string): string {
  const cases = path.join(folder, "cases");
  const names = fs.existsSync(cases) ? fs.readdirSync(cases).map((name) => path.join("cases", name)) : [];
  const hash = createHash("sha256");
  for (const name of [...SOURCES, ...names.sort()])
    hash.update(`${name}\0${digestOf(path.join(folder, name))}\0`);
  return hash.digest("hex");
}

function digestOf(file: string): string {
  try {
    return createHash("sha256").update(fs.readFileSync(file)).digest("hex");
  } catch {
    return "none";
  }
}
