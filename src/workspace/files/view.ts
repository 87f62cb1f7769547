// What every operation of a directory view goes through: is the view open, may this path be touched, and
// does another process write just now.
import { fstatSync, readlinkSync, type Stats } from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { processToken, withLock } from "../../core/lock.ts";
import type { Protection } from "../../policy/protected.ts";
import { showName } from "../fs/names.ts";
import { explaining } from "../fs/os-error.ts";
import { joinPath } from "../fs/path-text.ts";
import { fdPath, type OpenEntry, type Root } from "../fs/paths.ts";
import { tourTree } from "../fs/tree.ts";

export type Access = "read" | "write";

/** Called with the canonical path, relative to the root. */
export type PathCheck = (at: string, access: Access) => void;

/** Told of each path that is used: as it was given, and where it leads. A directory's ends in `/`, and comes with what it was when a walk entered it. */
export type UseNotice = (at: string, entered?: DirectoryLook) => void;

export type DirectoryLook = Pick<Stats, "nlink" | "ctimeMs">;

export interface ViewOptions {
  readonly root: Root;
  readonly closeRoot: () => void;
  readonly lockPath: string;
  readonly protectionOf: (path: string) => Protection | null;
  readonly onUse?: UseNotice;
}

export interface View {
  readonly root: Root;
  /** Does the work unless the view is closed; what the system refuses becomes an error that names the action. */
  looking<T>(action: string, at: string, work: () => T): T;
  /** The same, for work that changes something: no other process changes the workspace meanwhile. */
  changing<T>(action: string, at: string, work: () => T): T;
  /** Refuses a protected path. A directory's ends in `/`. */
  guard(at: string, access: Access): void;
  /** Refuses when the path, or anything below what was found, is protected. */
  guardTree(found: OpenEntry, at: string, access: Access): void;
  /** Whether a directory that a tour from `at` came to may be read. */
  mayEnter(at: string, trail: readonly string[]): boolean;
  /** To be told of each directory that was entered then. */
  entered(at: string, stat: DirectoryLook): void;
  /** Whether a file that a tour came to may be read. */
  mayRead(at: string): boolean;
  /** To be told of each file that was of use then. */
  used(at: string): void;
  /** The same view with one more check on every path where it really leads; it throws to refuse. */
  guardedBy(check: PathCheck): View;
  /** Closes the root too. */
  close(): void;
}

export function createView(options: ViewOptions): View {
  const state = { open: true, token: processToken() };
  const close = () => {
    if (state.open) options.closeRoot();
    state.open = false;
  };
  return makeView(options, state, () => {}, close);
}

interface ViewState {
  readonly open: boolean;
  readonly token: string;
}

function makeView(options: ViewOptions, state: ViewState, check: PathCheck, close: () => void): View {
  const { root, lockPath, protectionOf, onUse } = options;

  const looking = <T>(action: string, at: string, work: () => T): T => {
    onUse?.(at);
    if (!state.open) throw unusable(action, at, "the workspace is closed");
    if (isRemoved(root)) throw unusable(action, at, "the workspace's directory was removed");
    return explaining(action, at, work);
  };

  const judge = (at: string, access: Access): void => {
    const protection = protectionOf(at);
    if (protection?.[access] === "refuse") throw protectedPath(at, access, protection);
    check(at.endsWith("/") ? at.slice(0, -1) : at, access);
  };

  const guard = (at: string, access: Access): void => {
    onUse?.(at);
    judge(at, access);
  };

  return {
    root,
    looking,
    changing: (action, at, work) => looking(action, at, () => withLock(lockPath, work, state.token)),
    guard,
    guardTree(found, at, access) {
      if (!found.stat.isDirectory()) return guard(at, access);
      guard(`${at}/`, access);
      for (const { step, kind, trail } of tourTree(found.fd)) {
        if (step !== "leave") guard(judgedPath(at, trail) + (kind === "directory" ? "/" : ""), access);
      }
    },
    mayEnter: (at, trail) => passes(() => judge(`${judgedPath(at, trail)}/`, "read")),
    entered: (at, stat) => onUse?.(`${at}/`, stat),
    mayRead: (at) => passes(() => judge(at, "read")),
    used: (at) => onUse?.(at),
    guardedBy: (another) =>
      makeView(
        options,
        state,
        (at, access) => {
          check(at, access);
          another(at, access);
        },
        close,
      ),
    close,
  };
}

/** A directory that was removed is empty for whoever has it open. Some file systems count no links at all. */
function isRemoved({ fd }: Root): boolean {
  return fstatSync(fd).nlink === 0 && readlinkSync(fdPath(fd)).endsWith(" (deleted)");
}

function unusable(action: string, at: string, state: string): HotcellError {
  return new HotcellError("WORKSPACE_UNUSABLE", `Could not ${action} "${showName(at)}": ${state}.`);
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof HotcellError) return false;
    throw error;
  }
}

export function protectedPath(at: string, access: Access, protection: Protection): HotcellError {
  const state =
    protection.class === "read-only"
      ? "its mount is read-only"
      : `it is a protected path (${protection.class}) that tools may not ${access}`;
  return new HotcellError("PROTECTED_PATH", `Could not ${access} "${showName(at)}": ${state}.`, {
    path: at,
    reason: `protected: ${protection.class}`,
  });
}

const MAX_JUDGED_NAMES = 128;

/** Judging a name takes time with the length of its path, so below this depth only the end is judged: what is above was, on the way down. */
function judgedPath(at: string, trail: readonly string[]): string {
  if (trail.length > MAX_JUDGED_NAMES) return trail.slice(-MAX_JUDGED_NAMES).join("/");
  return joinPath(at, trail.join("/"));
}
