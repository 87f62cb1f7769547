// A session and its user at work in one project. There is no model of the result, only invariants that must hold after any
// sequence.
import fc from "fast-check";
import { expect } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import type { CommitResult } from "../../../src/workspace/commit/run-commit.ts";
import type { Change } from "../../../src/workspace/diff/changes.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import type { Strategy } from "../../../src/workspace/layers/record.ts";
import { assertProperty } from "../assert-property.ts";
import { plainly } from "../worlds/diff-world.ts";
import { bruteForce, file, type Planted, survey } from "../worlds/planted-tree.ts";
import { makeSessionWorld, waitForClock } from "../worlds/session-world.ts";
import { put } from "./arbitrary-trees.ts";
import {
  actAsSession,
  actAsUser,
  type Edit,
  isAsEdited,
  type Playing,
  pathOf,
  projectOf,
  textOf,
} from "./shared-project-actions.ts";
import { type SharedSequence, type SharedStep, sharedSequences } from "./shared-project-sequences.ts";
import type { Tree } from "./tree-model.ts";

/** Plays random sequences, with their projects in `dir`. */
export async function checkSharedProject(strategy: Strategy, runs: number, dir: string): Promise<void> {
  const property = fc.asyncProperty(sharedSequences, (sequence) => play(sequence, strategy, dir));
  await assertProperty(property, { numRuns: runs });
}

async function play({ planted, steps }: SharedSequence, strategy: Strategy, dir: string): Promise<void> {
  const tree: Tree = new Map();
  for (const [index, at] of planted.entries()) put(tree, at.split("/"), file(textOf(`p${index}`)));
  const world = makeSessionWorld(tree, dir);
  try {
    const playing: Playing = {
      world,
      session: await world.create(strategy),
      edits: new Map(),
      users: new Set(),
      own: new Set(),
      uncommitted: new Set(),
      removed: new Set(),
      commits: new Map(),
      renamed: new Map(),
      undoTo: null,
      lastCommit: null,
      texts: 0,
      calls: 0,
    };
    waitForClock(world.stateDir);
    for (const step of steps) {
      await take(step, playing);
      waitForClock(world.stateDir);
      await checkView(playing);
      waitForClock(world.stateDir);
    }
  } finally {
    world.remove();
  }
}

const viewOf = ({ session }: Playing): Promise<Tree> =>
  session.read(async () => surveyView(session.workspace));

/** As tools see it. */
function surveyView(workspace: WorkspaceFS): Tree {
  const tree: Tree = new Map();
  for (const { path: at, kind, stat } of workspace.walk("."))
    tree.set(at, lookAt(workspace, at, kind, stat().mode));
  return tree;
}

function lookAt(workspace: WorkspaceFS, at: string, kind: string, mode: number): Planted {
  if (kind === "file") return file(workspace.read(at).toString("latin1"), mode & 0o7777);
  if (kind === "directory") return { kind, mode: mode & 0o7777 };
  return kind === "symlink" ? { kind, target: workspace.readlink(at) } : { kind: "other" };
}

async function take(step: SharedStep, playing: Playing): Promise<void> {
  const before = projectOf(playing);
  const { undoTo, lastCommit } = playing;
  const { session } = playing;
  if (step.do !== "reopen") {
    playing.undoTo = null;
    playing.lastCommit = null;
  }
  switch (step.do) {
    case "user":
      for (const action of step.actions) actAsUser(action, playing);
      return;
    case "call":
      return call(step.actions, playing);
    case "commit":
      await commit(step, playing, before);
      return;
    case "revert":
      await revert(step.nth, playing, before, lastCommit);
      return;
    case "rewind": {
      const calls = session.record.stack.flatMap(({ call: made }) => made?.id ?? []);
      if (calls.length === 0) return;
      const shown = await viewOf(playing);
      const isDone = await tolerating(["NOT_FOUND"], () =>
        session.rewind(calls[step.nth % calls.length]!, step.path === null ? undefined : [step.path]),
      );
      if (isDone) playing.undoTo = shown;
      playing.uncommitted = new Set(playing.own);
      break;
    }
    case "undo": {
      const isDone = await tolerating(["NOT_FOUND"], () => session.undoRewind());
      playing.uncommitted = new Set(playing.own);
      if (undoTo !== null) {
        expect(isDone).toBe(true);
        expect(await viewOf(playing)).toEqual(undoTo);
      }
      break;
    }
    case "discard":
      await discard(step.path, playing);
      break;
    case "fork": {
      const shown = await viewOf(playing);
      const id = await session.fork();
      session.close();
      playing.session = await playing.world.open(id);
      playing.commits.clear();
      const project = projectOf(playing);
      expect(withoutLeft(await viewOf(playing), project)).toEqual(withoutLeft(shown, project));
      break;
    }
    case "reopen":
      session.close();
      playing.session = await playing.world.open(session.record.id);
  }
  expect(projectOf(playing)).toEqual(before);
}

/** If the user removes a directory that the session only touched, the session may still show it; a fork does not. */
function withoutLeft(tree: Tree, project: Tree): Tree {
  const paths = [...tree].filter(([, { kind }]) => kind !== "directory").map(([at]) => at);
  const isLeft = (above: string) => !project.has(above) && !paths.some((at) => isAtOrBelow(at, above));
  return new Map([...tree].filter(([at]) => !isLeft(at)));
}

/** False if the action was refused with one of these codes. */
async function tolerating(codes: readonly string[], work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof HotcellError && codes.includes(error.code)) return false;
    throw error;
  }
}

/** The calls of a session, and the user's actions while they run. */
async function call(
  actions: Extract<SharedStep, { do: "call" }>["actions"],
  playing: Playing,
): Promise<void> {
  const { session, edits } = playing;
  const id = `c${playing.calls++}`;
  await session.change({ id, tool: "test" }, async () => {
    const shown = survey(`/proc/self/fd/${session.view.fd}`);
    checkSeen(shown, projectOf(playing), playing);
    for (const [at, edit] of edits) if (isAsEdited(shown, at, edit)) edit.seenBy.add(id);
    for (const { who, action } of actions) {
      if (who === "session") actAsSession(action, playing);
      else for (const at of actAsUser(action, playing)) playing.users.add(parentOf(at));
    }
  });
}

async function commit(
  { onConflict, path: selected }: Extract<SharedStep, { do: "commit" }>,
  playing: Playing,
  before: Tree,
): Promise<void> {
  const { session } = playing;
  const selection = selected === null ? "all" : { paths: [selected], hunks: [] };
  const calls = session.record.stack.map((layer) => layer.call?.id ?? "");
  let result: CommitResult | null = null;
  await tolerating(selected === null ? [] : ["INVALID_ARGUMENTS"], async () => {
    result = await session.commit({ selection, onConflict });
  });
  const after = projectOf(playing);
  const isSeen = ({ seenBy }: Edit) => calls.some((id) => seenBy.has(id));
  checkEdits(after, playing, (_, edit) => onConflict === "ours" || isSeen(edit), { onConflict, result });
  if (result === null) return;
  await checkCommit(result, selected === null, playing, { before, after });
}

async function checkCommit(
  { tx, conflicts, skipped }: CommitResult,
  isOfAll: boolean,
  playing: Playing,
  { before, after }: { readonly before: Tree; readonly after: Tree },
): Promise<void> {
  if (tx === null) expect(after).toEqual(before);
  else playing.commits.set(tx, { before, after });
  playing.lastCommit = tx;
  for (const { path: at, reason } of conflicts) {
    const isOfSelection = !isOfAll && reason === "parent is not a directory in the project";
    if (!isOfSelection) expect(isUsers(at, playing), `conflict ${at}`).toBe(true);
  }
  const isDone =
    conflicts.every(({ resolution }) => resolution === "ours") &&
    skipped.every(({ why }) =>
      ["same in the project", "contains entries that the session never had"].includes(why),
    );
  if (!isOfAll || !isDone) return;
  expect(differences(await viewOf(playing), after, playing)).toEqual([]);
  playing.uncommitted.clear();
}

/** Whether the user changed this path, or any path in a directory that the session has removed. */
function isUsers(at: string, { users, removed, renamed }: Playing): boolean {
  const own = [at, renamed.get(at) ?? at];
  const places = [...own, ...[...removed].filter((above) => own.some((path) => isAtOrBelow(path, above)))];
  return [...users].some((user) => places.some((place) => areRelated(user, place)));
}

async function revert(nth: number, playing: Playing, before: Tree, last: string | null): Promise<void> {
  const commits = [...playing.commits.keys()];
  if (commits.length === 0) return;
  const tx = last ?? commits[nth % commits.length]!;
  const made = playing.commits.get(tx)!;
  const result = await playing.session.revert(tx);
  const after = projectOf(playing);
  const isItsOwn = (at: string) => bruteForce(sliceAt(before, at), sliceAt(made.after, at)).length === 0;
  checkEdits(after, playing, isItsOwn, result);
  if (last !== null) expect(after).toEqual(made.before);
  // The reverted changes belong to the session again, even if it has discarded everything since.
  for (const line of bruteForce(made.before, made.after)) playing.own.add(pathOf(line));
  playing.uncommitted = new Set(playing.own);
}

const sliceAt = (tree: Tree, at: string): Tree => new Map([...tree].filter(([key]) => key === at));

async function discard(at: string | null, playing: Playing): Promise<void> {
  const { session } = playing;
  const shown = await viewOf(playing);
  const isDone = await tolerating(at === null ? [] : ["NOT_FOUND"], () =>
    session.discard(at === null ? undefined : [at]),
  );
  const project = projectOf(playing);
  const differing = bruteForce(await viewOf(playing), project).map(pathOf);
  expect(differing.filter((path) => at === null || isAtOrBelow(path, at))).toEqual([]);
  if (at !== null) {
    if (isDone) playing.undoTo = shown;
    return;
  }
  for (const set of [playing.own, playing.uncommitted, playing.removed, playing.users]) set.clear();
}

/** A lost edit must have a known reason. */
function checkEdits(
  project: Tree,
  { edits }: Playing,
  isExcused: (at: string, edit: Edit) => boolean,
  why: unknown,
): void {
  for (const [at, edit] of edits) {
    if (isAsEdited(project, at, edit)) continue;
    edits.delete(at);
    if (!isExcused(at, edit)) expect.fail(`lost ${at}: ${JSON.stringify(edit)}, ${JSON.stringify(why)}`);
  }
}

async function checkView(playing: Playing): Promise<void> {
  const { session } = playing;
  let changes: readonly Change[] = [];
  await session.diff((diff) => {
    changes = diff.changes;
  });
  const view = await viewOf(playing);
  const project = projectOf(playing);
  checkSeen(view, project, playing);
  const isOthers = isOthersMode(project, view, playing);
  const reported = plainly(changes).filter((line) => !isOthers(line));
  // A path that the session shows in an older version, because the user or a commit changed it since, is not its change.
  const committed = new Set(
    [...playing.commits.values()].flatMap(({ before, after }) => bruteForce(before, after).map(pathOf)),
  );
  const isExcused = (at: string) => isUsers(at, playing) || committed.has(at);
  const differing = differences(project, view, playing).filter(
    (line) => reported.includes(line) || !isExcused(pathOf(line)),
  );
  expect(reported, "diff").toEqual(differing);
  playing.renamed = new Map(
    changes.flatMap(({ path: at, from }) => (from === undefined ? [] : [[at, from]])),
  );
}

function differences(a: Tree, b: Tree, playing: Playing): string[] {
  const isOthers = isOthersMode(a, b, playing);
  return bruteForce(a, b).filter((line) => !isOthers(line));
}

/** A directory in which the session changed something may have another mode than the user has set since. */
function isOthersMode(a: Tree, b: Tree, { users }: Playing): (line: string) => boolean {
  return (line) => {
    const at = line.slice("mode ".length);
    const isDirectory = a.get(at)?.kind === "directory" && b.get(at)?.kind === "directory";
    return line.startsWith("mode ") && isDirectory && users.has(at);
  };
}

/** Paths that the session has not changed are as in the project. */
function checkSeen(view: Tree, project: Tree, playing: Playing): void {
  const { uncommitted } = playing;
  const isOwn = (at: string) =>
    at.split("/").includes("no") || [...uncommitted].some((own) => areRelated(at, own));
  const untrue = differences(project, view, playing).filter((line) => !isOwn(pathOf(line)));
  expect(untrue, "seen").toEqual([]);
}

const parentOf = (at: string): string => at.slice(0, Math.max(at.lastIndexOf("/"), 0));
const isAtOrBelow = (at: string, above: string): boolean => at === above || at.startsWith(`${above}/`);
const areRelated = (a: string, b: string): boolean => a === "" || isAtOrBelow(a, b) || isAtOrBelow(b, a);
