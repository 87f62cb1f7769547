// Opens the database of a session. What others have written to it becomes a layer on top of the session's.
import fs from "node:fs";
import { HotcellError, isOfSqlite } from "../../../core/errors.ts";
import { quote } from "../../../core/quote.ts";
import { applyTree } from "../../agentfs/apply-tree.ts";
import { checkSchema } from "../../agentfs/check-schema.ts";
import { compareDatabase, pickDifferences } from "../../agentfs/compare-database.ts";
import { reasonOf } from "../../agentfs/driver.ts";
import { unusable } from "../../agentfs/locked-database.ts";
import { type DatabaseTree, readDatabaseTree } from "../../agentfs/read-database-tree.ts";
import { isAsSeen, readReflected } from "../../agentfs/reflected-layers.ts";
import { createSecretCheck } from "../../agentfs/secret-check.ts";
import { findSelfRunning } from "../../agentfs/self-running-entries.ts";
import { withSessionTrees } from "../../agentfs/session-trees.ts";
import { runCooperatively } from "../../fs/cooperative.ts";
import { fileClock } from "../../fs/file-clock.ts";
import { explainAsyncErrors } from "../../fs/os-error.ts";
import { fallBackIfFull } from "../../layers/fall-back-if-full.ts";
import { layerDir } from "../../layers/layer-dirs.ts";
import { databaseOf, type Layer, type SessionRecord, type Stack } from "../../layers/record.ts";
import { rewindRecord } from "../../layers/stack.ts";
import { emptyUnused, removeUnused } from "../../layers/unreferenced-layers.ts";
import { changeIn } from "../change.ts";
import { recordChanges } from "../checkpoint.ts";
import { type SessionState, showRecord } from "../session-state.ts";
import { tryWork } from "../try-work.ts";
import { tryAddCalls } from "./follow-calls.ts";
import { followLayers, layersWithChanges, nameOf } from "./follow-layers.ts";
import { followValues, takeValues } from "./follow-values.ts";
import { openPendingNotes } from "./pending-notes.ts";
import { openSessionFile, refuseInside, type SessionDatabase } from "./session-database.ts";

/** The call of the layer that holds a database's changes. */
export const AGENTFS_CALL = { id: "agentfs", tool: "agentfs" } as const;

/** Opens the session's database, if it has one. Afterwards both show the same. */
export async function openSessionDatabase(state: SessionState): Promise<void> {
  const { record, dir, store } = state;
  const file = databaseOf(record, dir);
  if (file === null) return;
  refuseInside(file, record.workspace);
  const isKnown = isAsSeen(dir, file);
  const notes = openPendingNotes(dir);
  const database = { ...(await openSessionFile(file, record, store.waitMs)), notes };
  try {
    const isForeign = !isKnown && !database.locked.isNew;
    const tree = isForeign ? await readTree(state, database) : null;
    database.reflected = readReflected(database.locked.db, record.id);
    if (tree !== null) {
      // The values first: the file counts as read when the changes are written to it.
      await takeValues(state, database);
      await takeChanges(state, database, tree);
      // The file may have more than its tree shows, such as wrong counts of links.
      database.reflected = null;
    }
    // Not before: nothing may be written to the file while it alone has what others changed.
    state.database = database;
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

async function takeChanges(
  state: SessionState,
  database: SessionDatabase,
  tree: DatabaseTree,
): Promise<void> {
  const { reflected, notes } = database;
  notes.addEntries(NOT_TAKEN, tree.leftOut);
  if (reflected !== null && hasPart(state, reflected.layers)) await showRecord(state, withoutPart(state));
  const written = reflected && layersOf(reflected.layers, state.store.stateDir);
  if (written !== null && (await compare(state, database, tree, written)).length === 0) return;
  const paths = await compare(state, database, tree, state.record.stack);
  if (paths.length === 0) return;
  const before = layersWithChanges(state).map(nameOf);
  let selfRunning: readonly string[] = [];
  const take = async () => {
    const applied = await apply(state, database, tree, paths);
    notes.addEntries(NOT_TAKEN, applied.leftOut);
    selfRunning = applied.selfRunning;
  };
  try {
    await explainAsyncErrors("take what others changed in the database", database.file, async () => {
      const { warning } = await changeIn(state, AGENTFS_CALL, take, {});
      // The file is written from what is recorded.
      if (warning !== null) await recordChanges(state);
    });
    notes.addEntries(
      "The session took from the database",
      selfRunning.map((path) => ({
        path,
        reason: "it executes automatically; a commit confirms it separately",
      })),
    );
  } catch (error) {
    await tryWork(() => removePart(state, before), undefined);
    throw error instanceof HotcellError ? stillInFile(error) : error;
  }
}

const NOT_TAKEN = "The session did not take from the database";

/** Whether the top layer is a part of what others changed, which was taken before a kill or a failure. */
function hasPart(state: SessionState, whole: readonly string[]): boolean {
  const top = layersWithChanges(state).at(-1);
  return top?.call?.id === AGENTFS_CALL.id && !whole.includes(nameOf(top));
}

const withoutPart = ({ record, dir }: SessionState): SessionRecord =>
  rewindRecord(record, AGENTFS_CALL.id, fileClock(dir));

/** Also from the disk, which may be full: the database has all of it. */
async function removePart(state: SessionState, whole: readonly string[]): Promise<void> {
  if (!hasPart(state, whole)) return;
  const { stateDir } = state.store;
  const without = { ...withoutPart(state), left: state.record.left };
  await fallBackIfFull(
    () => showRecord(state, without),
    () => {
      emptyUnused(without, stateDir);
      return showRecord(state, without);
    },
  );
  await runCooperatively(removeUnused(state.record, stateDir));
}

function stillInFile({ code, message, details }: HotcellError): HotcellError {
  const next =
    "The database keeps the changes: open the session again to take them. If you do not need them, move the database away: hotcell writes the session's changes to a new file.";
  return new HotcellError(code, `${message} ${next}`, details);
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
    const leftOut = await runCooperatively(applyTree(picked, locked.db, view.root, trees.before));
    return { leftOut, selfRunning: await runCooperatively(findSelfRunning(picked, store.protectionOf)) };
  });
}
