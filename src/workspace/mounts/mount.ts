// Named directories that tools can reach beside the project.
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { type Protection, READ_ONLY, RESERVED } from "../../policy/protected.ts";
import { openHostWorkspace, viewHostDirectory } from "../directory/host.ts";
import { areApart } from "../files/state-dir.ts";
import type { WorkspaceFS } from "../files/workspace-fs.ts";
import { openRoot } from "../fs/paths.ts";

export interface MountOptions {
  readonly path: string;
  /** Default `ro`. Writes to a mount go directly to the disk, not into a session. */
  readonly access?: "ro" | "rw";
}

export interface Mount {
  /** Without the `@`. */
  readonly name: string;
  /** Takes paths inside the mount. */
  readonly files: WorkspaceFS;
  /** Takes paths inside the mount. */
  readonly protectionOf: (path: string) => Protection | null;
  /** Changes stay in the cell until a commit. */
  readonly contained: boolean;
}

export interface MountContext {
  readonly stateDir: string;
  readonly project: string;
  readonly protectionOf: (path: string) => Protection | null;
}

const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const OWN_NAMES = ["project", "state"];

/** A directory of the host. */
export function openHostMount(name: string, options: MountOptions, place: MountContext): Mount {
  const { path: given, access = "ro" } = options;
  checkName(name, access);
  const protectionOf = access === "ro" ? makeReadOnly(place.protectionOf) : place.protectionOf;
  const files = openDirectory(name, given, place.stateDir, protectionOf);
  try {
    checkPlace(name, files.root, place);
  } catch (error) {
    files.close();
    throw error;
  }
  return { name, files, protectionOf, contained: access === "ro" };
}

/** The private storage of a run. The log is not in it, and no entry may look like the log. */
export function openStateMount(runDir: string, protectionOf: MountContext["protectionOf"]): Mount {
  const dir = path.join(runDir, "state");
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const withoutLogs = (at: string) => (isLogs(at) ? RESERVED : protectionOf(at));
  const files = viewHostDirectory(openRoot(dir), path.join(runDir, "state.notes"), withoutLogs);
  return { name: "state", files, protectionOf: withoutLogs, contained: true };
}

/** Compares like the most lenient file system. */
function isLogs(at: string): boolean {
  const [first = ""] = at.split("/");
  return first.toLowerCase().replace(/[.\s]+$/, "") === "logs";
}

function makeReadOnly(protectionOf: MountContext["protectionOf"]): MountContext["protectionOf"] {
  return (at) => {
    const protection = protectionOf(at);
    return protection?.read === "refuse" ? protection : READ_ONLY;
  };
}

function openDirectory(
  name: string,
  given: string,
  stateDir: string,
  protectionOf: MountContext["protectionOf"],
): WorkspaceFS {
  try {
    return openHostWorkspace({ workspace: given, stateDir, protectionOf });
  } catch (error) {
    if (!(error instanceof HotcellError) || error.code !== "WORKSPACE_UNUSABLE") throw error;
    throw unusable(name, `${quote(given)} is not a readable directory`);
  }
}

function checkName(name: string, access: string): void {
  if (access !== "ro" && access !== "rw")
    throw unusable(name, `its access is ${quote(access)}; allowed are "ro", "rw"`);
  if (OWN_NAMES.includes(name)) throw unusable(name, "hotcell already has a mount with that name");
  if (!NAME.test(name))
    throw unusable(name, "a name has lower-case letters, digits, _ and -, and begins with a letter");
  if (name === "pkg" && access === "rw") throw unusable(name, "@pkg is read-only");
}

/**
 * Checks the real path of the opened directory. No tool may reach the log, and no mount may bypass a session or the
 * rules for the project's paths.
 */
function checkPlace(name: string, root: string, { stateDir, project }: MountContext): void {
  if (!areApart(root, stateDir)) throw unusable(name, "one of it and the state directory contains the other");
  if (!areApart(root, project))
    throw unusable(
      name,
      "one of it and the project contains the other; use @project for paths in the project",
    );
}

function unusable(name: string, state: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not mount ${quote(`@${name}`)}: ${state}.`);
}
