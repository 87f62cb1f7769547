// Runs the same steps on a session and on a model. After each step both must be equal.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import { HotcellError } from "../../../src/core/errors.ts";
import type { WorkspaceFS } from "../../../src/workspace/files/workspace-fs.ts";
import type { Strategy } from "../../../src/workspace/layers/record.ts";
import type { Session } from "../../../src/workspace/session/session-types.ts";
import { assertProperty } from "../assert-property.ts";
import { plainly } from "../worlds/diff-world.ts";
import { bruteForce, survey } from "../worlds/planted-tree.ts";
import { makeSessionWorld, type SessionWorld } from "../worlds/session-world.ts";
import { type Sequence, type Step, sequences } from "./session-sequences.ts";
import { apply, type Operation, restore, type Tree } from "./tree-model.ts";

/** Plays random sequences, with their projects in `dir`. */
export async function compareWithModel(strategy: Strategy, runs: number, dir: string): Promise<void> {
  const property = fc.asyncProperty(sequences, (sequence) => play(sequence, strategy, dir));
  await assertProperty(property, { numRuns: runs });
}

interface State {
  readonly tree: Tree;
  /** The tree before each call that can be rewound to, oldest first. */
  readonly calls: ReadonlyMap<string, Tree>;
}

interface Model extends State {
  readonly project: Tree;
  /** The trees before each rewind, newest last. */
  readonly left: readonly State[];
  /** The project has changed by a commit since, so the model does not know the result of an undo. */
  readonly isMoreLeft: boolean;
}

interface Playing {
  readonly world: SessionWorld;
  /** The trees of other sessions: sources of forks, and forks that are not used further. */
  readonly others: Map<string, Tree>;
}

interface Position {
  readonly session: Session;
  readonly model: Model;
}

/** Runs the steps, then commits and reverts. The view, the diff and the project must equal the model. */
async function play({ project, steps }: Sequence, strategy: Strategy, dir: string): Promise<void> {
  const world = makeSessionWorld(project, dir);
  try {
    const playing: Playing = { world, others: new Map() };
    let at: Position = { session: await world.create(strategy), model: newModel(survey(world.project)) };
    for (const step of steps) {
      at = await take(step, at, playing);
      expect(viewOf(at.session)).toEqual(at.model.tree);
      expect(survey(world.project)).toEqual(at.model.project);
    }
    await checkEnd(at, playing);
  } finally {
    world.remove();
  }
}

function newModel(project: Tree): Model {
  return { project, tree: project, calls: new Map(), left: [], isMoreLeft: false };
}

const viewOf = ({ view }: Session): Tree => survey(`/proc/self/fd/${view.fd}`);

async function take(step: Step, { session, model }: Position, playing: Playing): Promise<Position> {
  switch (step.do) {
    case "call":
      return { session, model: await call(session, model, step.operations) };
    case "outside a call":
      return { session, model: { ...model, tree: operateAll(session, model.tree, step.operations) } };
    case "checkpoint":
      await session.checkpoint();
      return { session, model };
    case "reopen":
      session.close();
      return { session: await playing.world.open(session.record.id), model };
    case "rewind":
      return { session, model: await rewind(session, model, step) };
    case "undo":
      return { session, model: await undo(session, model) };
    case "discard":
      return { session, model: await discard(session, model, step.path) };
    case "discard all":
      await session.discard();
      return { session, model: newModel(model.project) };
    case "commit":
      playing.others.clear();
      expect(await session.commit()).toMatchObject({ conflicts: [] });
      return { session, model: { ...newModel(model.tree), isMoreLeft: true } };
    case "fork":
      return fork({ session, model }, step.follow, playing);
  }
}

async function call(session: Session, model: Model, operations: readonly Operation[]): Promise<Model> {
  const id = randomUUID();
  const { result: tree } = await session.change({ id, tool: "test" }, async () =>
    operateAll(session, model.tree, operations),
  );
  return { ...model, tree, calls: new Map([...model.calls, [id, model.tree]]) };
}

/** Returns the model's tree after the steps. */
function operateAll({ workspace }: Session, before: Tree, operations: readonly Operation[]): Tree {
  const tree = new Map(before);
  for (const operation of operations) perform(workspace, tree, operation);
  return tree;
}

function perform(workspace: WorkspaceFS, tree: Tree, operation: Operation): void {
  const result = apply(tree, operation);
  if (result === "links") return;
  const attempt = () => operate(workspace, operation);
  if (result === "done") attempt();
  else expect(attempt, JSON.stringify(operation)).toThrow(HotcellError);
}

function operate(workspace: WorkspaceFS, operation: Operation): unknown {
  const { at } = operation;
  switch (operation.do) {
    case "write":
      return workspace.write(at, operation.content);
    case "append":
      return workspace.append(at, operation.content);
    case "mkdir":
      return workspace.mkdir(at);
    case "remove":
      return workspace.remove(at, { recursive: operation.recursive });
    case "rename":
      return workspace.rename(at, operation.to);
    case "copy":
      return workspace.copy(at, operation.to);
    case "symlink":
      return workspace.symlink(operation.target, at);
    case "chmod":
      return workspace.chmod(at, operation.mode);
  }
}

async function rewind(
  session: Session,
  model: Model,
  { nth, path }: Extract<Step, { do: "rewind" }>,
): Promise<Model> {
  // A call without changes has no layer.
  const known = session.record.stack.flatMap(({ call }) => (call && model.calls.has(call.id) ? call.id : []));
  if (known.length === 0) return model;
  const id = known[nth % known.length]!;
  const before = model.calls.get(id)!;
  const ids = [...model.calls.keys()];
  const calls = new Map([...model.calls].slice(0, ids.indexOf(id)));
  if (path !== null) return restoring(model, before, path, calls, () => session.rewind(id, [path]));
  await session.rewind(id);
  return { ...leaving(model), tree: before, calls };
}

const leaving = (model: Model): Model => ({ ...model, left: [...model.left, model] });

function discard(session: Session, model: Model, path: string): Promise<Model> {
  return restoring(model, model.project, path, new Map(), () => session.discard([path]));
}

/** May be refused if there is nothing to restore. */
async function restoring(
  model: Model,
  from: Tree,
  path: string,
  calls: State["calls"],
  work: () => Promise<unknown>,
): Promise<Model> {
  const tree = new Map(model.tree);
  restore(from, path, tree);
  try {
    await work();
    return { ...leaving(model), tree, calls };
  } catch (error) {
    expect(error).toMatchObject({ code: "NOT_FOUND" });
    expect(tree).toEqual(model.tree);
    return model;
  }
}

async function undo(session: Session, model: Model): Promise<Model> {
  const state = model.left.at(-1);
  if (state !== undefined) {
    await session.undoRewind();
    return { ...model, tree: state.tree, calls: state.calls, left: [...model.left.slice(0, -1), model] };
  }
  if (model.isMoreLeft) return model;
  await expect(session.undoRewind()).rejects.toMatchObject({ code: "NOT_FOUND" });
  return model;
}

async function fork({ session, model }: Position, follow: boolean, playing: Playing): Promise<Position> {
  const id = await session.fork();
  playing.others.set(follow ? session.record.id : id, model.tree);
  if (!follow) return { session, model };
  session.close();
  return { session: await playing.world.open(id), model: { ...model, left: [], isMoreLeft: false } };
}

async function checkEnd({ session, model }: Position, { world, others }: Playing): Promise<void> {
  const differences = () => session.diff(({ changes }) => plainly(changes));
  expect(await differences()).toEqual(bruteForce(model.project, model.tree));
  for (const [id, tree] of others) {
    const other = await world.open(id);
    expect(viewOf(other)).toEqual(tree);
    other.close();
  }
  const { tx, conflicts } = await session.commit();
  expect(conflicts).toEqual([]);
  expect(survey(world.project)).toEqual(model.tree);
  expect(await differences()).toEqual([]);
  if (tx !== null) await session.revert(tx);
  expect(survey(world.project)).toEqual(model.project);
}
