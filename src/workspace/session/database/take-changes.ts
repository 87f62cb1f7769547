// Opens the database of a session. What others have written to it becomes a layer on top of the session's.
import fs from "node:fs";
import { quote } from "../../../core/quote.ts";
import { applyTree } from "../../agentfs/apply-tree.ts";
import { checkSchema } from "../../agentfs/check-schema.ts";
import { compareDatabase, pickDifferences } from "../../agentfs/compare-database.ts";
import { isOfSqlite, reasonOf } from "../../agentfs/driver.ts";
import { unusable } from "../../agentfs/locked-database.ts";
import { type DatabaseTree, readDatabaseTree } from "../../agentfs/read-database-tree.ts";
import { isAsSeen, readReflected } from "../../agentfs/reflected-layers.ts";
import { createSecretCheck } from "../../agentfs/secret-check.ts";
import { withSessionTrees } from "../../agentfs/session-trees.ts";
import { runCooperatively } from "../../fs/cooperative.ts";
import { fileClock } from "../../fs/file-clock.ts";
import { layerDir } from "../../layers/layer-dirs.ts";
import { databaseOf, type Layer, type Stack } from "../../layers/record.ts";
import { rewindRecord } from "../../layers/stack.ts";
import { changeIn } from "../change.ts";
import { type SessionState, showRecord } from "../session-state.ts";
import { tryAddCalls } from "./follow-calls.ts";
import { followLayers, layersWithChanges, nameOf } from "./follow-layers.ts";
import { followValues, takeValues } from "./follow-values.ts";
import { openSessionFile, refuseInside, type SessionDatabase } from "./session-database.ts";
import { openUntoldNotes } from "./untold-notes.ts";

/** The call of the layer that holds a database's changes. */
export const AGENTFS_CALL = { id: "agentfs", tool: "agentfs" } as const;

/** Opens the session's database, if it has one. Afterwards both show the same. */
export async function openSessionDatabase(state: SessionState): Promise<void> {
  const { record, dir, store } = state;
  const file = databaseOf(record, dir);
  if (file === null) return;
  refuseInside(file, record.workspace);
  const isKnown = isAsSeen(dir, file);
  const notes = openUntoldNotes(dir);
  const database = { ...(await openSessionFile(file, record, store.waitMs)), notes };
  try {
    const isForeign = !isKnown && !database.locked.isNew;
    const tree = isForeign ? await readTree(state, database) : null;
    database.reflected = readReflected(database.locked.db, record.id);
    state.database = database;
    if (tree !== null) {
      // The values first: the file counts as read when the changes are written to it.
      await takeValues(state, database);
      await takeChanges(state, database, tree);
    }
    await followLayers(state);
    await followValues(state);
    tryAddCalls(state);
  } catch (error) {
    state.database = null;
    database.locked.close();
    throw isOfSqlite(error) ? unusable(file, reasonOf(error)) : error;
  }
}

/** The file may have become anything. */
function readTree({ store }: SessionState, { file, locked }: SessionDatabase): Promise<DatabaseTree> {
  const refuse = (reason: string) => unusable(file, reason);
  checkSchema(locked.db, refuse, quote(file));
  return runCooperatively(readDatabaseTree(locked.db, createSecretCheck(store.protectionOf), refuse));
}

/** Afterwards the file is to be written anew: it may have more than its tree shows, such as wrong counts of links. */
async function takeChanges(
  state: SessionState,
  database: SessionDatabase,
  tree: DatabaseTree,
): Promise<void> {
  database.notes.addLeftOut(NOT_TAKEN, tree.leftOut);
  await dropInterrupted(state, database);
  const written = database.reflected && layersOf(database.reflected.layers, state.store.stateDir);
  database.reflected = null;
  if (written !== null && (await compare(state, database, tree, written)).length === 0) return;
  const paths = await compare(state, database, tree, state.record.stack);
  if (paths.length === 0) return;
  const take = async () => database.notes.addLeftOut(NOT_TAKEN, await apply(state, database, tree, paths));
  await changeIn(state, AGENTFS_CALL, take, {});
}

const NOT_TAKEN = "The session did not take from the database";

/** Removes a part of the database's changes, which a killed process had begun to take. */
async function dropInterrupted(state: SessionState, { reflected }: SessionDatabase): Promise<void> {
  const top = layersWithChanges(state).at(-1);
  const isPart =
    reflected !== null && top?.call?.id === AGENTFS_CALL.id && !reflected.layers.includes(nameOf(top));
  if (isPart) await showRecord(state, rewindRecord(state.record, AGENTFS_CALL.id, fileClock(state.dir)));
}

/** Null if one of them has been removed since. */
function layersOf(names: readonly string[], stateDir: string): Stack | null {
  const stack = names.map((at): Layer => {
    const [session, name] = at.split("/") as [string, string];
    return { session, name, call: null, since: 0 };
  });
  return stack.every((layer) => fs.existsSync(layerDir(stateDir, layer))) ? stack : null;
}

function compare(
  { record, store }: SessionState,
  { locked }: SessionDatabase,
  { root }: DatabaseTree,
  stack: Stack,
): Promise<readonly string[]> {
  return withSessionTrees({ ...record, stack }, store, ({ trees, options }) =>
    runCooperatively(compareDatabase(root, locked.db, trees, options, createSecretCheck(store.protectionOf))),
  );
}

function apply(
  { record, store, view }: SessionState,
  { locked }: SessionDatabase,
  { root }: DatabaseTree,
  paths: readonly string[],
) {
  return withSessionTrees(record, store, async ({ trees }) => {
    const isSecret = createSecretCheck(store.protectionOf);
    const picked = await runCooperatively(pickDifferences(root, paths, trees, isSecret));
    return runCooperatively(applyTree(picked, locked.db, view.root, trees.before));
  });
}
