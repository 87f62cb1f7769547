// Finds a program as the user would start it, and the directories without which it does not run in a sandbox: the
// installation to which a link leads, and the interpreter of a script.
import fs from "node:fs";
import path from "node:path";
import { tryRealPath } from "../../core/real-path.ts";
import { isBelow } from "../../workspace/fs/path-text.ts";
import { findPlaceFault, isInSystem, isSpecificIn, type UserEnvironment } from "./user-toolchains.ts";

export interface ProgramSearch {
  readonly name: string;
  /** Directories in which it may be beside those of PATH; `~/` is the home. */
  readonly searched: readonly string[];
  readonly user: UserEnvironment;
  /** Directories that the sandbox shows anyway. */
  readonly visible: readonly string[];
}

export interface FoundProgram {
  /** The path by which the user would start it. */
  readonly at: string;
  /** The path by which the sandbox starts it. */
  readonly path: string;
  /** Directories that have to be shown for it. */
  readonly directories: readonly string[];
  /** Why some of them cannot be shown. */
  readonly faults: readonly string[];
}

/** Null if it is nowhere. */
export function locateProgram({ name, searched, user, visible }: ProgramSearch): FoundProgram | null {
  const inHome = (at: string) => at.replace(/^~(?=\/)/, user.home);
  const directories = [...(user.env.PATH ?? "").split(":"), ...searched.map(inHome)];
  const at = directories
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, name))
    .find(isExecutable);
  if (at === undefined) return null;
  const isVisible = (one: string) => isInSystem(one) || visible.some((shown) => isBelow(one, shown));
  const real = tryRealPath(at)!;
  const named = path.join(tryRealPath(path.dirname(at))!, name);
  const isHidden = (one: string) => !isVisible(one);
  const needed = [installationOf(real), ...interpretersOf(real).filter(isHidden).map(prefixOf)];
  const hidden = [...new Set(needed)].filter(isHidden);
  const faults = hidden.map((directory) => findFault(directory, user.home)).filter((fault) => fault !== null);
  // Some programs go by the name of the link by which they were started.
  return { at, path: isVisible(named) ? named : real, directories: hidden, faults };
}

function isExecutable(at: string): boolean {
  try {
    fs.accessSync(at, fs.constants.X_OK);
    return fs.statSync(at).isFile();
  } catch {
    return false;
  }
}

/** The directory that holds the program and what it loads. */
function installationOf(program: string): string {
  const [packages] = /^.*?\/node_modules(?=\/)/.exec(program) ?? [];
  if (packages !== undefined) return packages;
  const directory = path.dirname(program);
  const parent = path.dirname(directory);
  return fs.existsSync(path.join(parent, "pyvenv.cfg")) ? parent : directory;
}

/** Every name of the interpreter that a script names: a virtual environment links to its Python. */
function interpretersOf(script: string): string[] {
  const [, interpreter] = /^#! *(\/\S+)/.exec(readHead(script)) ?? [];
  return interpreter === undefined
    ? []
    : [...linksFrom(interpreter), tryRealPath(interpreter) ?? interpreter];
}

/** The directory in which an interpreter has its `bin` and `lib`. */
function prefixOf(interpreter: string): string {
  const directory = path.dirname(interpreter);
  return path.basename(directory) === "bin" ? path.dirname(directory) : directory;
}

const MAX_LINKS = 40;

function linksFrom(at: string): string[] {
  const names = [at];
  while (names.length < MAX_LINKS) {
    const last = names.at(-1)!;
    if (!fs.lstatSync(last, { throwIfNoEntry: false })?.isSymbolicLink()) break;
    names.push(path.resolve(path.dirname(last), fs.readlinkSync(last)));
  }
  return names;
}

const HEAD_BYTES = 1024;

function readHead(file: string): string {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString("latin1", 0, fs.readSync(fd, bytes));
  } catch {
    return "";
  } finally {
    fs.closeSync(fd);
  }
}

function findFault(directory: string, home: string): string | null {
  const real = tryRealPath(directory);
  if (real === null) return `${directory} is not there`;
  const fault = findPlaceFault(real);
  if (fault !== null) return `${directory} cannot be shown to it: ${fault}`;
  return isSpecificIn(home)(real)
    ? null
    : `${directory} is not shown to it, because it holds more than programs`;
}
