// The weaker tier, for machines without user namespaces: an ordinary process with Landlock and a seccomp filter, which
// works in a copy of the project. docs/threat-model.md lists its gaps.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { removeDirectory } from "../../workspace/layers/session-dirs.ts";
import type { NamespacesOptions } from "../namespaces/namespaces-tier.ts";
import type { Ground, WorkingCopy } from "../process/command-view.ts";
import { IGNORE_FILE_IDENTITY, withGitSettings } from "../process/git-settings.ts";
import { prlimitArgs } from "../process/limits.ts";
import { processLimit } from "../process/process-limit.ts";
import { createSurroundings } from "../process/spawn-isolated.ts";
import { readSystemRoot } from "../process/system-root.ts";
import type { Tier } from "../process/tier.ts";
import { seccompFilter } from "../seccomp/seccomp.ts";
import type { Arch } from "../seccomp/syscall-table.ts";
import { startLandlocked } from "./start-landlocked.ts";
import { withoutHidden } from "./without-hidden.ts";

const READABLE = ["/proc", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

export async function openLandlockTier({ ground, toolchains, env }: NamespacesOptions): Promise<Tier> {
  const { directory, stateDir } = copyOf(ground);
  const arch = process.arch as Arch;
  const uid = process.getuid!();
  const system = readSystemRoot(toolchains);
  const hidden = [...ground.hidden().map(({ at }) => at), ground.project, stateDir];
  const scratch = makeScratch(path.join(path.dirname(directory), "scratch"));
  const seccomp = seccompFilter({ arch, enclosed: "landlock" });
  const surroundings = createSurroundings();
  const readable = [...withoutHidden(system.shown, hidden), ...READABLE];
  const writable = [scratch.home, scratch.tmp, "/dev/null"];
  const granted = { readable, writable: [directory, ...writable] };
  const onlyRead = { readable: [...readable, directory], writable };
  const variables = { ...baseEnv(scratch), PATH: system.searchPath, ...env };
  return {
    isolation: "landlock",
    asRoot: false,
    async start(command, { attached, limits, onBegin }) {
      const { argv, cwd, env: own = {}, bareEnv, readOnly, stderrToStdout = false } = command;
      const processes = processLimit(uid, limits.processes);
      const limiter = prlimitArgs({ ...limits, processes });
      return startLandlocked({
        plan: { arch, ...(readOnly ? onlyRead : granted), limiter, argv },
        seccomp,
        env: bareEnv ? own : withGitSettings([IGNORE_FILE_IDENTITY], { ...variables, ...own }),
        cwd: path.join(directory, path.relative(ground.project, cwd)),
        attached,
        stderrToStdout,
        surroundings,
        limits,
        onBegin,
      });
    },
    async close() {
      surroundings.pipes.close();
      scratch.remove();
    },
  };
}

/** Landlock does not restrict changes of modes and times; as root that would affect every file of the machine. */
function copyOf({ copy }: Ground): WorkingCopy {
  if (process.getuid?.() === 0)
    throw refusal("as root a command could change the mode of any file", "Run hotcell as an ordinary user");
  if (copy === null)
    throw refusal(
      "only a session's copy of the project can be shielded so",
      'Use fs "overlay" with the strategy "clone"',
    );
  return copy;
}

function refusal(why: string, next: string): HotcellError {
  return new HotcellError(
    "NO_SANDBOX",
    `Could not shield the command: without user namespaces, ${why}. ${next}, or see hotcell doctor.`,
  );
}

interface Scratch {
  readonly home: string;
  readonly tmp: string;
  remove(): void;
}

/** A session has one writer, so an existing directory was left by a killed process. */
function makeScratch(dir: string): Scratch {
  const [home, tmp] = [path.join(dir, "home"), path.join(dir, "tmp")];
  removeDirectory(dir);
  for (const made of [dir, home, tmp]) fs.mkdirSync(made, { mode: 0o700 });
  return { home, tmp, remove: () => removeDirectory(dir) };
}

function baseEnv({ home, tmp }: Scratch): Record<string, string> {
  return {
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: tmp,
    SHELL: "/bin/bash",
    USER: "cell",
    LOGNAME: "cell",
    // Otherwise git status would rewrite the index if only times differ: an unrequested change in the session.
    GIT_OPTIONAL_LOCKS: "0",
  };
}
