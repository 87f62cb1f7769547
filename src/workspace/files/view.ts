// The checks before every operation of a directory view: is the view open, may the operation use this path, and
// does another process write at the moment.
import { fstatSync, readlinkSync, type Stats } from "node:fs";
import { HotcellError } from "../../core/errors.ts";
import { lockToken, withLock } from "../../core/lock.ts";
import type { Protection } from "../../policy/protected.ts";
import { showName } from "../fs/names.ts";
import { explainErrors } from "../fs/os-error.ts";
import { joinPath } from "../fs/path-text.ts";
import { fdPath, type OpenEntry, type Root } from "../fs/paths.ts";
import { walkTree } from "../fs/tree.ts";

export type Access = "read" | "write";

/** Called with the canonical path, relative to the root. */
export type PathCheck = (at: string, access: Access) => void;

/** Called for each used path, as given and as resolved. A directory's path ends in `/`, and has its stat if a walk entered it. */
export type OnUse = (at: string, entered?: DirectoryStamp) => void;

export type DirectoryStamp = Pick<Stats, "nlink" | "ctimeMs">;

export interface ViewOptions {
  readonly root: Root;
  readonly closeRoot: () => void;
  readonly lockPath: string;
  readonly protectionOf: (path: string) => Protection | null;
  readonly onUse?: OnUse;
}

export interface View {
  readonly root: Root;
  /** Runs `work` unless the view is closed. A system error becomes an error that names the action. */
  runRead<T>(action: string, at: string, work: () => T): T;
  /** Runs `work` that changes something, under a lock: no other process changes the workspace meanwhile. */
  runChange<T>(action: string, at: string, work: () => T): T;
  /** Refuses a protected path. A directory's path ends in `/`. */
  guard(at: string, access: Access): void;
  /** Refuses if the path, or anything below `found`, is protected. */
  guardTree(found: OpenEntry, at: string, access: Access): void;
  /** Whether a directory on a tour from `at` may be read. */
  mayEnter(at: string, trail: readonly string[]): boolean;
  /** Must be called for each directory that a tour entered. */
  entered(at: string, stat: DirectoryStamp): void;
  /** Whether a file on a tour may be read. */
  mayRead(at: string): boolean;
  /** Must be called for each file whose content a tour used. */
  used(at: string): void;
  /** The same view with an additional check of every resolved path, which throws to refuse. */
  guardedBy(check: PathCheck): View;
  /** Closes the root too. */
  close(): void;
}

export function createView(options: ViewOptions): View {
  const state = { open: true, token: lockToken() };
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

  const runRead = <T>(action: string, at: string, work: () => T): T => {
    onUse?.(at);
    if (!state.open) throw unusable(action, at, "the workspace is closed");
    if (isRemoved(root)) throw unusable(action, at, "the workspace's directory was removed");
    return explainErrors(action, at, work);
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
    runRead,
    runChange: (action, at, work) => runRead(action, at, () => withLock(lockPath, work, state.token)),
    guard,
    guardTree(found, at, access) {
      if (!found.stat.isDirectory()) return guard(at, access);
      guard(`${at}/`, access);
      for (const { step, kind, trail } of walkTree(found.fd)) {
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

/** An open directory that was removed looks empty. The link count alone proves nothing: some file systems report 0 always. */
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

const READ_ONLY_STATES = new Map<Protection["class"], string>([
  ["read-only", "its mount is read-only"],
  ["read-only-path", "protect.readonly of the configuration makes it read-only"],
]);

export function protectedPath(at: string, access: Access, protection: Protection): HotcellError {
  const state =
    READ_ONLY_STATES.get(protection.class) ??
    `it is a protected path (${protection.class}) that tools may not ${access}`;
  return new HotcellError("PROTECTED_PATH", `Could not ${access} "${showName(at)}": ${state}.`, {
    path: at,
    reason: `protected: ${protection.class}`,
  });
}

const MAX_JUDGED_NAMES = 128;

/** The cost of judging grows with the length of a path, so below this depth only its end is judged. The names above were judged on the way down. */
function judgedPath(at: string, trail: readonly string[]): string {
  if (trail.length > MAX_JUDGED_NAMES) return trail.slice(-MAX_JUDGED_NAMES).join("/");
  return joinPath(at, trail.join("/"));
}
