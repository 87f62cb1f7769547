// The one gate for paths. It walks a path component by component from an open directory, or opens it in one call
// where the kernel follows no link. It never checks a path as text and opens it later, so a process that swaps
// directories meanwhile gains nothing.
// Linux only: it works through /proc/self/fd.
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { decodeName, osPath, showName, unshowName } from "./names.ts";
import { checkedPath, endsAsDirectory, isNamesOnly, namesOf } from "./path-text.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;
/** Opens a name without opening the file itself: no device driver runs, no FIFO blocks. Node has no constant for it. */
export const O_PATH = 0o10000000;

/** The prefix of hotcell's temporary files; no tool can see or reach them. */
export const TEMP_PREFIX = ".hotcell-tmp-";

export interface Root {
  readonly fd: number;
  /** With every link resolved. */
  readonly path: string;
  /** The path as given, made absolute. Targets of links inside may begin with it. */
  readonly given: string;
  /** The kernel follows no link and opens no device below the root. So many names in one call are as safe as one. */
  readonly followsNoLinks?: boolean;
  /** Called for each path walked after a link: the path as written does not contain it. */
  readonly onFollowed?: (path: string) => void;
}

/** An open entry on the walk from the root: a directory, or as the last one any kind; never a followed link. */
interface Step {
  readonly fd: number;
  readonly name: string;
}

/** An existing entry: an O_PATH descriptor, closed when the work ends. */
export interface OpenEntry {
  readonly fd: number;
  readonly stat: fs.Stats;
}

/** The place to which a path leads. All descriptors are closed when the work given to `atResolvedPath` ends. */
export interface ResolvedPath {
  /** Canonical, relative to the root; `""` is the root. */
  readonly path: string;
  /** The directory that contains it; the root's own if the place is the root. */
  readonly dir: number;
  /** Its name there; `.` for the root. */
  readonly name: string;
  readonly found: OpenEntry | null;
  /** If `name` does not exist: the names that would follow below it. */
  readonly missingBelow: readonly string[];
  /** The path is written as a directory: `new/`. */
  readonly namesDirectory: boolean;
}

export interface ResolveOptions {
  /** False: if the last name is a link, the place is the link itself. */
  readonly follow?: boolean;
}

export function openRoot(dir: string, next = "Give an existing directory."): Root {
  if (process.platform !== "linux") {
    throw new HotcellError(
      "NOT_SUPPORTED",
      `Could not open "${dir}": hotcell needs Linux (on Windows: WSL). This is ${process.platform}.`,
    );
  }
  const given = path.resolve(dir);
  try {
    const fd = fs.openSync(given, O_PATH | O_DIRECTORY);
    return { fd, path: fs.readlinkSync(fdPath(fd)), given };
  } catch (error) {
    const state =
      osErrorCode(error) === "ENOENT"
        ? "there is no such directory"
        : `the system refused (${osErrorCode(error)})`;
    throw new HotcellError("WORKSPACE_UNUSABLE", `Could not open the workspace "${dir}": ${state}. ${next}`);
  }
}

/** Opens a directory by its recorded real path. Throws if that path now leads to another directory. */
export function openRealRoot(real: string): Root {
  const root = openRoot(real, PUT_BACK);
  if (root.path === real) return root;
  fs.closeSync(root.fd);
  throw rootMovedError(real);
}

export function rootMovedError(real: string): HotcellError {
  return new HotcellError(
    "WORKSPACE_UNUSABLE",
    `Could not open the workspace "${real}": this path now leads to another directory. ${PUT_BACK}`,
  );
}

const PUT_BACK = "Move the project back.";

export const fdPath = (fd: number): string => `/proc/self/fd/${fd}`;

/** A path to `name` in an open directory, for calls that take a path. */
export const childPath = (dir: number, name: string): string | Buffer =>
  osPath(`/proc/self/fd/${dir}/${name}`);

export function openChild(dir: number, name: string, flags = 0): number {
  return fs.openSync(childPath(dir, name), O_PATH | O_NOFOLLOW | flags);
}

export function openChildDirectory(dir: number, name: string): number {
  return openChild(dir, name, O_DIRECTORY);
}

/** Walks to the place of the path, whether an entry exists or not, and runs `work` there. */
export function atResolvedPath<T>(
  root: Root,
  input: string,
  options: ResolveOptions,
  work: (place: ResolvedPath) => T,
): T {
  const walker = new Walker(root, input, options.follow ?? true);
  try {
    return work(walker.walk());
  } finally {
    walker.close();
  }
}

/** Follows links, and runs `work` on the existing entry. */
export function atExistingEntry<T>(
  root: Root,
  input: string,
  work: (found: OpenEntry, path: string) => T,
): T {
  const straight = openInOneCall(root, input, O_PATH);
  if (straight === null) return atWalked(root, input, work);
  try {
    return work(straight, straight.path);
  } finally {
    fs.closeSync(straight.fd);
  }
}

function atWalked<T>(root: Root, input: string, work: (found: OpenEntry, path: string) => T): T {
  const walker = new Walker(root, input, true);
  try {
    const { found, path } = walker.walk();
    if (found === null) throw walker.notFound();
    return work(found, path);
  } finally {
    walker.close();
  }
}

export interface DirectPath {
  /** Canonical, relative to the root. */
  readonly path: string;
  /** Never the stat of a link. */
  readonly stat: fs.Stats;
}

/** Opens all names of a path in one call; the caller closes the descriptor. Null if the path has to be walked, also to find out the error. */
export function openInOneCall(root: Root, input: string, flags: number): (DirectPath & OpenEntry) | null {
  const path = directPath(root, input);
  if (path === null) return null;
  let fd: number;
  try {
    fd = fs.openSync(`${fdPath(root.fd)}/${path}`, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  } catch {
    return null;
  }
  const stat = fs.fstatSync(fd);
  if (!stat.isSymbolicLink()) return { fd, path, stat };
  fs.closeSync(fd);
  return null;
}

/** The stat of the entry, with all names in one call. Null if the path has to be walked. */
export function statInOneCall(root: Root, input: string): DirectPath | null {
  const path = directPath(root, input);
  if (path === null) return null;
  try {
    const stat = fs.lstatSync(`${fdPath(root.fd)}/${path}`, { throwIfNoEntry: false });
    return stat === undefined || stat.isSymbolicLink() ? null : { path, stat };
  } catch {
    return null;
  }
}

/** The path if it is only names, below a root where the kernel follows no link. */
function directPath(root: Root, input: string): string | null {
  // A character here has at most three bytes: paths with characters of four bytes are walked.
  if (!root.followsNoLinks || input.length > LIMITS.maxPathBytes / 3) return null;
  const isGiven = input.startsWith("/") && input.startsWith(`${root.given}/`);
  const path = isGiven ? input.slice(root.given.length + 1) : input;
  return isNamesOnly(path) && !path.includes(TEMP_PREFIX) ? path : null;
}

class Walker {
  private readonly root: Root;
  private readonly input: string;
  private readonly follow: boolean;
  private readonly steps: Step[];
  /** Names still to walk, last first. */
  private readonly todo: string[];
  private needsDirectory: boolean;
  private links = 0;

  constructor(root: Root, input: string, follow: boolean) {
    this.root = root;
    this.input = input;
    this.steps = [{ fd: root.fd, name: "." }];
    const relative = this.relative(checkedPath(input));
    this.todo = namesOf(relative).reverse();
    this.needsDirectory = endsAsDirectory(relative);
    this.follow = follow || this.needsDirectory;
  }

  walk(): ResolvedPath {
    let stat: fs.Stats | null = null;
    while (this.todo.length > 0) {
      if (stat !== null && !stat.isDirectory()) throw this.notADirectory();
      const name = this.todo.pop()!;
      if (name === "..") {
        this.leave();
        stat = fs.fstatSync(this.top.fd);
        continue;
      }
      if (this.links > 0) this.root.onFollowed?.([...this.names, name].join("/"));
      const step = this.open(name);
      if (step === null) return this.missing(name);
      this.steps.push(step);
      stat = fs.fstatSync(step.fd);
      if (stat.isSymbolicLink() && (this.follow || this.todo.length > 0)) {
        this.expand();
        stat = fs.fstatSync(this.top.fd);
      }
    }
    stat ??= fs.fstatSync(this.root.fd);
    if (this.needsDirectory && !stat.isDirectory()) throw this.notADirectory();
    return this.existing(stat);
  }

  close(): void {
    while (this.steps.length > 1) fs.closeSync(this.steps.pop()!.fd);
  }

  private get top(): Step {
    return this.steps[this.steps.length - 1]!;
  }

  private get here(): string {
    return this.names.join("/");
  }

  private get names(): string[] {
    return this.steps.slice(1).map((step) => step.name);
  }

  /** Opens a name below the top. A missing name may be the shown form of a name with odd bytes (`\xNN`). */
  private open(name: string): Step | null {
    const fd = tryOpenPath(this.top.fd, name);
    if (fd !== null) return { fd, name };
    const odd = unshowName(name);
    return odd === null ? null : this.open(odd);
  }

  private leave(): void {
    if (this.steps.length === 1) throw this.outside();
    fs.closeSync(this.steps.pop()!.fd);
  }

  /** Replaces the link on top by the names of its target. */
  private expand(): void {
    const { name } = this.top;
    this.leave();
    if (++this.links > LIMITS.maxLinksFollowed) {
      throw new HotcellError(
        "EXECUTION_ERROR",
        `Could not follow "${this.shown}": more than ${LIMITS.maxLinksFollowed} symbolic links.`,
      );
    }
    const target = tryReadlink(this.top.fd, name);
    if (target === null) {
      // Somebody swapped the link for something else. Try again; `links` limits the attempts.
      this.todo.push(name);
      return;
    }
    const relative = this.relative(target);
    if (target.startsWith("/")) this.close();
    if (this.todo.length === 0 && endsAsDirectory(relative)) this.needsDirectory = true;
    this.todo.push(...namesOf(relative).reverse());
  }

  private existing(stat: fs.Stats): ResolvedPath {
    const parent = this.steps[this.steps.length - 2] ?? this.top;
    return {
      path: this.here,
      dir: parent.fd,
      name: this.top.name,
      found: { fd: this.top.fd, stat },
      missingBelow: [],
      namesDirectory: this.needsDirectory,
    };
  }

  private missing(name: string): ResolvedPath {
    const below = this.todo.toReversed();
    if (below.includes("..")) throw this.escapes(below) ? this.outside() : this.notFound();
    if ([name, ...below].some((part) => part.startsWith(TEMP_PREFIX))) throw this.notFound();
    return {
      path: [...this.names, name, ...below].join("/"),
      dir: this.top.fd,
      name,
      found: null,
      missingBelow: below,
      namesDirectory: this.needsDirectory,
    };
  }

  /** Whether missing names would lead above the root. */
  private escapes(names: readonly string[]): boolean {
    let depth = this.steps.length;
    return names.some((name) => {
      depth += name === ".." ? -1 : 1;
      return depth < 0;
    });
  }

  /** An absolute path must begin with the root's path. */
  private relative(text: string): string {
    if (!text.startsWith("/")) return text;
    for (const base of [this.root.path, this.root.given]) {
      if (text === base) return ".";
      if (text.startsWith(join(base, ""))) return text.slice(join(base, "").length);
    }
    throw this.outside();
  }

  private get shown(): string {
    return showName(this.input);
  }

  private outside(): HotcellError {
    const byLink = this.links > 0;
    const way = byLink ? "a symbolic link on it leads out of the workspace" : "it leads out of the workspace";
    return new HotcellError(
      byLink ? "SYMLINK_OUTSIDE_WORKSPACE" : "PATH_OUTSIDE_WORKSPACE",
      `Path "${this.shown}" is refused: ${way}. Use a path relative to the workspace.`,
      {
        path: path.posix.normalize(this.input),
        reason: byLink ? "symlink leads outside" : "path leads outside",
      },
    );
  }

  notFound(): HotcellError {
    return new HotcellError("NOT_FOUND", `Could not find "${this.shown}": nothing is there.`, {
      path: this.input,
    });
  }

  private notADirectory(): HotcellError {
    return new HotcellError(
      "NOT_A_DIRECTORY",
      `Could not use "${this.shown}": "${showName(this.here)}" is not a directory.`,
      {
        path: this.input,
      },
    );
  }
}

const join = (base: string, relative: string): string =>
  base === "/" ? `/${relative}` : `${base}/${relative}`;

function tryOpenPath(dir: number, name: string): number | null {
  if (name.startsWith(TEMP_PREFIX)) return null;
  try {
    return openChild(dir, name);
  } catch (error) {
    const code = osErrorCode(error);
    if (code === "ENOENT" || code === "ENAMETOOLONG") return null;
    throw error;
  }
}

function tryReadlink(dir: number, name: string): string | null {
  try {
    return decodeName(fs.readlinkSync(childPath(dir, name), "buffer"));
  } catch (error) {
    const code = osErrorCode(error);
    if (code === "EINVAL" || code === "ENOENT") return null;
    throw error;
  }
}
