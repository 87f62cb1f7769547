// Takes commits that the agent made with git as a branch of the project: their objects and one ref. The project's HEAD,
// index, files, configuration and hooks stay as they are. hotcell does not run git.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import { type Cooperative, runCooperatively } from "../fs/cooperative.ts";
import type { Root } from "../fs/paths.ts";
import { HASH_BYTES } from "../git/blob-id.ts";
import { checkNewBranch, createBranch } from "../git/create-branch.ts";
import type { ObjectName } from "../git/loose-object.ts";
import { findLostPaths } from "../git/lost-paths.ts";
import { findNewObjects, type ObjectSources } from "../git/new-objects.ts";
import { readObjectFormat } from "../git/object-format.ts";
import { openProjectObjects } from "../git/project-objects.ts";
import { resolveHead } from "../git/refs.ts";
import { createTrackedFiles } from "../git/tracked-files.ts";
import { writeObjects } from "../git/write-objects.ts";
import { settle } from "./checkpoint.ts";
import { withCommitLock } from "./commit-lock.ts";
import { refreshView, type SessionState } from "./session-state.ts";

export interface GitBranchOptions {
  /**
   * Also take commits that remove secrets from git which commands do not see.
   * @default false
   */
  readonly allowProtected?: boolean;
}

export interface GitBranchResult {
  readonly branch: string;
  /** The id of its newest commit: HEAD of the session. */
  readonly commit: string;
  /** How many commits and how many objects in all the project did not have. */
  readonly commits: number;
  readonly objects: number;
  /** Secrets that the project's index tracks and the branch does not have. */
  readonly lostSecrets: readonly string[];
}

export async function commitGitBranchIn(
  state: SessionState,
  branch: string,
  { allowProtected = false }: GitBranchOptions,
  signal?: AbortSignal,
): Promise<GitBranchResult> {
  await settle(state, signal);
  await refreshView(state);
  const isSecret = (path: string) => state.store.protectionOf(path)?.read === "refuse";
  const take = async (project: Root) => {
    const secrets = await createTrackedFiles(project, isSecret)();
    const wanted = { branch, allowProtected, secrets: secrets.ids.keys() };
    return runCooperatively(takeCommits(project, state.view.root, wanted), signal);
  };
  return withCommitLock(state.record, state.store, take, signal);
}

interface Wanted {
  readonly branch: string;
  readonly allowProtected: boolean;
  readonly secrets: Iterable<string>;
}

function* takeCommits(project: Root, view: Root, wanted: Wanted): Cooperative<GitBranchResult> {
  const format = readObjectFormat(project);
  checkNewBranch(project, wanted.branch);
  const tip: ObjectName = { id: resolveHead(view), type: "commit" };
  if (tip.id.length !== HASH_BYTES[format] * 2) throw otherFormatError();
  const objects = openProjectObjects(project);
  try {
    const sources = { view, project: objects, format };
    const found = yield* findNewObjects(tip, sources);
    if (found.length === 0) throw nothingNewError();
    const lostSecrets = yield* checkLostSecrets(tip, wanted, sources);
    yield* writeObjects(found, project, sources);
    createBranch(project, wanted.branch, tip.id);
    const commits = found.filter(({ type }) => type === "commit").length;
    return { branch: wanted.branch, commit: tip.id, commits, objects: found.length, lostSecrets };
  } finally {
    objects.close();
  }
}

function* checkLostSecrets(
  tip: ObjectName,
  { secrets, allowProtected }: Wanted,
  sources: ObjectSources,
): Cooperative<string[]> {
  const { view, project, format } = sources;
  const lost = yield* findLostPaths(tip, secrets, { view: () => view, project, format });
  if (lost.length === 0 || allowProtected) return lost;
  const names = lost.map((path) => quote(path)).join(", ");
  const why = `git would not track ${names} in it, which commands do not see`;
  const message = `Could not create the branch: ${why}. To create it nevertheless, add --protected (allowProtected).`;
  throw new HotcellError("PROTECTED_PATH", message, { paths: lost });
}

function otherFormatError(): HotcellError {
  const why = "the session's repository has another object format than the project's";
  return new HotcellError("NOT_SUPPORTED", `Could not create the branch: ${why}.`);
}

function nothingNewError(): HotcellError {
  const why = "the session's HEAD is a commit that the project has already";
  return new HotcellError("NOT_FOUND", `Could not create the branch: ${why}.`);
}
