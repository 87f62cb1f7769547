// Writes what the layers have and the database does not: one transaction for each operation of a session.
import fs from "node:fs";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { openDelta } from "../../agentfs/delta.ts";
import { explainSqlErrors, inTransaction } from "../../agentfs/driver.ts";
import { writeReflected } from "../../agentfs/reflected-layers.ts";
import { createSecretCheck } from "../../agentfs/secret-check.ts";
import { pathChecks, withSessionTrees } from "../../agentfs/session-trees.ts";
import { identityIn, type LeftOut } from "../../agentfs/write-entry.ts";
import { writeLayerPaths } from "../../agentfs/write-layer-paths.ts";
import { writeView } from "../../agentfs/write-view.ts";
import { runCooperatively } from "../../fs/cooperative.ts";
import { explainAsyncErrors } from "../../fs/os-error.ts";
import { O_PATH, type Root } from "../../fs/paths.ts";
import { openTreeReader, type TreeReader } from "../../fs/tree-reader.ts";
import { layerDir } from "../../layers/layer-dirs.ts";
import { isEmptyLayer } from "../../layers/layer-notes.ts";
import type { Layer, Stack } from "../../layers/record.ts";
import { type SessionState, withProject } from "../session-state.ts";
import { addCalls } from "./follow-calls.ts";
import { followValues, hasValues } from "./follow-values.ts";
import { keepFile, type SessionDatabase, trySeen } from "./session-database.ts";

/** Makes the database show what the session shows. What could not be written, and why, the next changing call reports. */
export async function followLayers(state: SessionState, signal?: AbortSignal): Promise<void> {
  const { database } = state;
  if (database === null) return;
  try {
    const leftOut = await explainAsyncErrors("write", database.file, () =>
      explainSqlErrors(() => database.alone(() => writeLayers(state, database, signal))),
    );
    database.notes.addEntries("The database does not have", leftOut);
    if (!hasValues(database)) await followValues(state);
  } catch (error) {
    if (signal?.aborted === true && error === signal.reason) return;
    if (!(error instanceof HotcellError)) throw error;
    const next = "The session has the changes. The next changing call writes them to the database.";
    database.notes.add(`${error.message} ${next}`);
  }
}

async function writeLayers(
  state: SessionState,
  database: SessionDatabase,
  signal: AbortSignal | undefined,
): Promise<readonly LeftOut[]> {
  await keepFile(database, state.record);
  const stack = layersWithChanges(state);
  const layers = stack.map(nameOf);
  const { db } = database.locked;
  const had = database.reflected?.layers ?? null;
  const isChanged = database.reflected?.isOpen === true || state.wasHeld;
  if (!isChanged && had !== null && isSame(had, layers)) return [];
  const kept = isChanged ? had?.slice(0, -1) : had;
  const next = { session: state.id, layers, isOpen: state.holders.size > 0 };
  const written = await inTransaction(db, async () => {
    const added = kept && isSame(kept, layers.slice(0, kept.length)) ? stack.slice(kept.length) : null;
    const leftOut = await (added === null
      ? writeAnew(state, database, signal)
      : addLayers(state, database, added, signal));
    writeReflected(db, next);
    addCalls(state, db);
    return leftOut;
  });
  database.reflected = next;
  state.wasHeld = next.isOpen;
  trySeen(state.dir, database);
  return written;
}

/** The live layer may be empty. */
export function layersWithChanges({ record, store }: SessionState): Stack {
  const { stack } = record;
  return isEmptyLayer(stack.at(-1)!, store.stateDir) ? stack.slice(0, -1) : stack;
}

export const nameOf = ({ session, name }: Layer): string => `${session}/${name}`;

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name, at) => name === others[at]);

/** Writes the paths of these layers, as the view shows them. */
function addLayers(
  state: SessionState,
  { locked }: SessionDatabase,
  stack: Stack,
  signal: AbortSignal | undefined,
): Promise<LeftOut[]> {
  const { record, store, view } = state;
  return withProject(record, async (project) => {
    const before = openTreeReader(project);
    const after = openTreeReader(view.root);
    const delta = openDelta(locked.db, ownerOf(project));
    const leftOut: LeftOut[] = [];
    try {
      for (const layer of stack)
        await withInodes(state, layer, after, async (inodes) => {
          const writing = writeLayerPaths(
            layerDir(store.stateDir, layer),
            { before, after },
            pathChecks(record, store),
            createSecretCheck(store.protectionOf),
            delta,
            identityIn(inodes),
          );
          leftOut.push(...(await runCooperatively(writing, signal, LIMITS.noteWaitMs)).leftOut);
        });
      return leftOut;
    } finally {
      after.close();
      before.close();
    }
  });
}

/**
 * The tree whose inode numbers show which names are links to one file. In a view of overlayfs one file may have two
 * numbers: for an ordinary user, overlayfs shows the number of the lower layer's file only while that name is cached.
 * The numbers in the layer itself do not change.
 */
async function withInodes(
  { record, store }: SessionState,
  layer: Layer,
  view: TreeReader,
  work: (inodes: TreeReader) => Promise<void>,
): Promise<void> {
  if (record.strategy === "clone") return work(view);
  const fd = fs.openSync(layerDir(store.stateDir, layer), O_PATH | fs.constants.O_DIRECTORY);
  const inodes = openTreeReader({ fd });
  try {
    await work(inodes);
  } finally {
    inodes.close();
    fs.closeSync(fd);
  }
}

/** After a rewind, a discard or a commit. */
function writeAnew(
  { record, store }: SessionState,
  { locked }: SessionDatabase,
  signal: AbortSignal | undefined,
): Promise<readonly LeftOut[]> {
  return withSessionTrees(record, store, async ({ trees, options, project }) => {
    const delta = openDelta(locked.db, ownerOf(project));
    delta.clear();
    const writing = writeView(trees, options, createSecretCheck(store.protectionOf), delta);
    return (await runCooperatively(writing, signal, LIMITS.noteWaitMs)).leftOut;
  });
}

const ownerOf = ({ fd }: Root) => fs.fstatSync(fd);
