// The weaker tier, for machines without user namespaces: an ordinary process with Landlock and a seccomp filter, which
// works in a copy of the project. docs/threat-model.md lists its gaps.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { removeDirectory } from "../../workspace/layers/session-dirs.ts";
import type { NamespacesOptions } from "../namespaces/namespaces-tier.ts";
import type { CommandView, WorkingCopy } from "../process/command-view.ts";
import { IGNORE_FILE_IDENTITY, withGitSettings } from "../process/git-settings.ts";
import { prlimitArgs } from "../process/limits.ts";
import { processLimit } from "../process/process-limit.ts";
import { createSpawnResources } from "../process/spawn-isolated.ts";
import { readSystemRoot } from "../process/system-root.ts";
import type { Tier } from "../process/tier.ts";
import { seccompFilter } from "../seccomp/seccomp.ts";
import type { Arch } from "../seccomp/syscall-table.ts";
import { removeHidden } from "./remove-hidden.ts";
import { startLandlocked } from "./start-landlocked.ts";

const READABLE = ["/proc", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

export async function openLandlockTier({
  commandView,
  toolchains,
  env,
}: Omit<NamespacesOptions, "gate">): Promise<Tier> {
  const { directory, stateDir } = copyOf(commandView);
  const arch = process.arch as Arch;
  const uid = process.getuid!();
  const system = readSystemRoot(toolchains);
  const hidden = [...commandView.hidden().map(({ at }) => at), commandView.project, stateDir];
  const scratch = makeScratch(path.join(path.dirname(directory), "scratch"), commandView);
  const seccomp = seccompFilter({ arch, confinement: "landlock" });
  const resources = createSpawnResources();
  const readable = [...removeHidden(system.shown, hidden), ...READABLE];
  const writable = [scratch.home, scratch.tmp, "/dev/null"];
  const granted = { readable, writable: [directory, ...writable] };
  const onlyRead = { readable: [...readable, directory], writable };
  const variables = { ...baseEnv(scratch), PATH: system.searchPath, ...env };
  return {
    isolation: "landlock",
    asRoot: false,
    async start(command, { stdio, limits, onBegin }) {
      const { argv, cwd, env: own = {}, bareEnv, readOnly, stderrToStdout = false } = command;
      if (stdio === "terminal") throw noTerminal();
      const processes = processLimit(uid, limits.processes);
      const limiter = prlimitArgs({ ...limits, processes });
      return startLandlocked({
        plan: { arch, ...(readOnly ? onlyRead : granted), limiter, argv },
        seccomp,
        env: bareEnv ? own : withGitSettings([IGNORE_FILE_IDENTITY], { ...variables, ...own }),
        cwd: path.join(directory, path.relative(commandView.project, cwd)),
        stdio,
        stderrToStdout,
        resources,
        limits,
        onBegin,
      });
    },
    async close() {
      resources.pipes.close();
      scratch.remove();
    },
  };
}

/** Landlock does not restrict changes of modes and times; as root that would affect every file of the machine. */
function copyOf({ copy }: CommandView): WorkingCopy {
  if (process.getuid?.() === 0)
    throw refusal("as root a command could change the mode of any file", "Run hotcell as an ordinary user");
  if (copy === null)
    throw refusal(
      "only a session's copy of the project can be sandboxed this way",
      'Use fs "overlay" with the strategy "clone"',
    );
  return copy;
}

function refusal(why: string, next: string): HotcellError {
  return new HotcellError(
    "NO_SANDBOX",
    `Could not sandbox the command: without user namespaces, ${why}. ${next}, or see hotcell doctor.`,
  );
}

/** Without a file system of its own, a terminal would be one of the machine's, among those of the user. */
function noTerminal(): HotcellError {
  return new HotcellError(
    "NOT_SUPPORTED",
    "Could not give the program a terminal of its own: this machine has no user namespaces. Run it without one, with input and output in pipes, or see hotcell doctor.",
  );
}

interface Scratch {
  readonly home: string;
  readonly tmp: string;
  remove(): void;
}

/** A session has one writer, so an existing directory was left by a killed process. */
function makeScratch(dir: string, { gitConfig, home: lasting }: CommandView): Scratch {
  const [home, tmp] = [path.join(dir, "home"), path.join(dir, "tmp")];
  removeDirectory(dir);
  for (const made of [dir, home, tmp]) fs.mkdirSync(made, { mode: 0o700 });
  if (gitConfig !== "") fs.writeFileSync(path.join(home, ".gitconfig"), gitConfig);
  return { home: lasting ?? home, tmp, remove: () => removeDirectory(dir) };
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
