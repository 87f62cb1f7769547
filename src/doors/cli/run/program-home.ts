// The home of a profile's program: opened for one run, with the files of the user that the user agreed to.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { LIMITS } from "../../../core/limits.ts";
import { openRegularFile } from "../../../core/open-regular-file.ts";
import { quote } from "../../../core/quote.ts";
import { gitConfigText, readGitIdentity } from "../../../shield/host/git-identity.ts";
import { openStateDir } from "../../../workspace/files/state-dir.ts";
import { type Home, openHome } from "../../../workspace/homes/homes.ts";
import { hasHomeEntry, putHomeFile } from "../../../workspace/homes/put-home-file.ts";
import { bytesIn } from "../../../workspace/session/registry/bytes-in.ts";
import { confirm } from "../ask.ts";
import type { ConfiguredCell } from "../cell-options.ts";
import { formatBytes } from "../figures.ts";
import { type Io, printNotes, usage } from "../io.ts";
import { checkHomeFile, type Profile } from "./profiles.ts";

interface HomeRequest extends ConfiguredCell {
  /** Files that the user named on the command line. */
  readonly files: readonly string[];
}

/** Runs the work with the home's directory, or null for a program without a profile, whose home ends with it. */
export async function withHome<T>(
  io: Io,
  profile: Profile | null,
  { files, options, config }: HomeRequest,
  work: (home: string | null) => Promise<T>,
): Promise<T> {
  if (profile === null) {
    if (files.length > 0)
      throw usage("--home-file needs a profile: a program without one has an empty home.");
    return work(null);
  }
  const named = files.map((file) => ({ path: file, content: readNamed(io, file) }));
  const project = fs.realpathSync(options.workspace!);
  const owner = fs.statSync(project);
  const stateDir = openStateDir(config.stateDir, project);
  const home = await openHome(stateDir, { project, profile: profile.name, owner });
  try {
    const agreed = await agreeOnFiles(io, profile, home, files);
    for (const file of [...gitConfig(io, home), ...agreed, ...named])
      putHomeFile(home.directory, file, owner);
    return await work(home.directory);
  } finally {
    home.release();
    noteFullDisk(io, profile, home);
  }
}

/** The log or the session may be the first that has no room, and their errors do not know about homes. */
function noteFullDisk(io: Io, { name }: Profile, { directory }: Home): void {
  const { bavail, bsize } = fs.statfsSync(path.dirname(directory));
  if (bavail * bsize >= LIMITS.reserveBytes) return;
  const size = formatBytes(bytesIn(directory, "closed"));
  printNotes(
    io,
    `hotcell: the disk of the state directory is full; the home of ${quote(name)} has ${size} of it. To make room: hotcell run --forget ${name}, hotcell session gc`,
  );
}

function readNamed(io: Io, file: string): Buffer {
  checkHomeFile(file);
  const content = readUserFile(io, file);
  if (content === null)
    throw usage(
      `--home-file ${file}: your home has no such file that you may read, or it has more than ${LIMITS.maxConfigBytes} bytes.`,
    );
  return content;
}

/** Null if there is no such file. A person's files are often links to elsewhere. */
function readUserFile({ env }: Io, file: string): Buffer | null {
  try {
    const opened = openRegularFile(path.join(homeOf(env), file));
    if (opened === null) return null;
    const { fd, stat } = opened;
    try {
      return stat.size <= LIMITS.maxConfigBytes ? fs.readFileSync(fd) : null;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return null;
  }
}

const homeOf = (env: Io["env"]) => env.HOME || os.homedir();

/** The files of the profile that the user has and agreed to, now or earlier. Without a terminal, those of earlier. */
async function agreeOnFiles(io: Io, profile: Profile, home: Home, named: readonly string[]) {
  const there = profile.homeFiles
    .filter((file) => !named.includes(file))
    .flatMap((file) => ({ path: file, content: readUserFile(io, file) }))
    .filter((file): file is { path: string; content: Buffer } => file.content !== null);
  const answers = new Map(Object.entries(home.record.homeFiles));
  const open = there.map((file) => file.path).filter((file) => !answers.has(file));
  if (open.length > 0 && !io.interactive)
    printNotes(
      io,
      `hotcell: not given to ${profile.program}: ${open.map((file) => `~/${file}`).join(", ")}. To give it a copy: ${open.map((file) => `--home-file ${file}`).join(" ")}`,
    );
  if (open.length > 0 && io.interactive) {
    const list = open.map((file) => `~/${file}`).join(", ");
    const isAgreed = await confirm(
      io,
      `The profile ${quote(profile.name)} may get a copy of ${list}. Give it, now and in later runs?`,
    );
    for (const file of open) answers.set(file, isAgreed);
    home.keepAnswers(Object.fromEntries(answers));
  }
  return there.filter((file) => answers.get(file.path) === true);
}

/** The user's name and email, for commits that the program makes. The program may have written its own file since. */
function gitConfig({ env }: Io, { directory }: Home) {
  const text = gitConfigText(readGitIdentity(env, homeOf(env)));
  const isNew = text !== "" && !hasHomeEntry(directory, ".gitconfig");
  return isNew ? [{ path: ".gitconfig", content: Buffer.from(text) }] : [];
}
