// Takes commits that the agent made with git as a branch of the project: their objects and one ref. The project's HEAD,
// index, files, configuration and hooks stay as they are. hotcell does not run git.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";
import type { Protection } from "../../policy/protected.ts";
import { type Cooperative, runCooperatively } from "../fs/cooperative.ts";
import type { Root } from "../fs/paths.ts";
import { HASH_BYTES } from "../git/blob-id.ts";
import { findChangedPaths } from "../git/changed-paths.ts";
import { checkNewBranch, createBranch } from "../git/create-branch.ts";
import type { ObjectName } from "../git/loose-object.ts";
import { findLostPaths } from "../git/lost-paths.ts";
import { findNewObjects } from "../git/new-objects.ts";
import { readObjectFormat } from "../git/object-format.ts";
import { openProjectObjects } from "../git/project-objects.ts";
import type { SessionObjects } from "../git/read-git-object.ts";
import { openRefs, resolveHead } from "../git/refs.ts";
import { createTrackedFiles } from "../git/tracked-files.ts";
import { writeObjects } from "../git/write-objects.ts";
import { settle } from "./checkpoint.ts";
import { withCommitLock } from "./commit-lock.ts";
import { refreshView, type SessionState } from "./session-state.ts";

export interface GitBranchOptions {
  /**
   * Also take commits that create or change secrets, or that remove secrets from git which commands do not see.
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
  /** Secrets that the commits create or change. */
  readonly changedSecrets: readonly string[];
}

export async function commitGitBranchIn(
  state: SessionState,
  branch: string,
  { allowProtected = false }: GitBranchOptions,
  signal?: AbortSignal,
): Promise<GitBranchResult> {
  await settle(state, signal);
  await refreshView(state);
  const { protectionOf } = state.store;
  const take = async (project: Root) => {
    const secrets = await createTrackedFiles(project, (path) => isSecret(protectionOf(path)))();
    const wanted = { branch, allowProtected, secrets: secrets.ids.keys(), protectionOf };
    return runCooperatively(takeCommits(project, state.view.root, wanted), signal);
  };
  return withCommitLock(state.record, state.store, take, signal);
}

interface Wanted {
  readonly branch: string;
  readonly allowProtected: boolean;
  /** Those that the project's index tracks. */
  readonly secrets: Iterable<string>;
  readonly protectionOf: (path: string) => Protection | null;
}

const isSecret = (protection: Protection | null): boolean => protection?.read === "refuse";
const isReadOnly = (protection: Protection | null): boolean => protection?.class === "read-only-path";

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
    const commits = found.filter(({ type }) => type === "commit");
    const head = openRefs(() => project).resolve("HEAD");
    const secrets = yield* checkProtected({ tip, commits, head }, wanted, { ...sources, view: () => view });
    yield* writeObjects(found, project, sources);
    createBranch(project, wanted.branch, tip.id);
    return {
      branch: wanted.branch,
      commit: tip.id,
      commits: commits.length,
      objects: found.length,
      ...secrets,
    };
  } finally {
    objects.close();
  }
}

interface NewCommits {
  readonly tip: ObjectName;
  readonly commits: readonly ObjectName[];
  /** The id of the project's HEAD. */
  readonly head: string | null;
}

function* checkProtected(
  { tip, commits, head }: NewCommits,
  { secrets, allowProtected, protectionOf }: Wanted,
  sources: SessionObjects,
): Cooperative<Pick<GitBranchResult, "lostSecrets" | "changedSecrets">> {
  const base: ObjectName | null = head === null ? null : { id: head, type: "commit" };
  const isChecked = (path: string) => [isSecret, isReadOnly].some((is) => is(protectionOf(path)));
  const changed = yield* findChangedPaths(commits, base, sources, isChecked);
  const readOnly = changed.filter(({ path }) => isReadOnly(protectionOf(path))).map(({ path }) => path);
  if (readOnly.length > 0) throw readOnlyError(readOnly);
  const changedSecrets = changed.filter(({ isDeleted }) => !isDeleted).map(({ path }) => path);
  const lostSecrets = yield* findLostPaths(tip, secrets, sources);
  const paths = [...changedSecrets, ...lostSecrets];
  if (paths.length === 0 || allowProtected) return { lostSecrets, changedSecrets };
  const why = [
    ...(changedSecrets.length > 0
      ? [`its commits create or change the secrets ${listed(changedSecrets)}`]
      : []),
    ...(lostSecrets.length > 0
      ? [`git would not track ${listed(lostSecrets)} in it, which commands do not see`]
      : []),
  ].join(", and ");
  const message = `Could not create the branch: ${why}. To create it nevertheless, add --protected (allowProtected).`;
  throw new HotcellError("PROTECTED_PATH", message, { paths });
}

function readOnlyError(paths: readonly string[]): HotcellError {
  const why = `its commits change ${listed(paths)}, which protect.readonly names`;
  const next = "Commit in the session without these changes, on a new branch from the project's HEAD";
  return new HotcellError("PROTECTED_PATH", `Could not create the branch: ${why}. ${next}.`, { paths });
}

function listed(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  return `${paths.slice(0, MAX_NAMED).map(quote).join(", ")}${more}`;
}

const MAX_NAMED = 10;

function otherFormatError(): HotcellError {
  const why = "the session's repository has another object format than the project's";
  return new HotcellError("NOT_SUPPORTED", `Could not create the branch: ${why}.`);
}

function nothingNewError(): HotcellError {
  const why = "the session's HEAD is a commit that the project has already";
  return new HotcellError("NOT_FOUND", `Could not create the branch: ${why}.`);
}
