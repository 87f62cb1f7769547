// A session: a copy-on-write view of a project that can be looked through, taken, rewound or thrown away.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { holdLock } from "../../core/lock.ts";
import type { Protection } from "../../policy/protected.ts";
import type { TouchedDirectory } from "../diff/changes.ts";
import { touchedByLayers } from "../diff/touched.ts";
import { openDirectoryView } from "../directory-view.ts";
import { createOverlayView } from "../overlay/overlay-view.ts";
import { openRoot, type Root } from "../paths.ts";
import type { WorkspaceFS } from "../workspace-fs.ts";
import { withLayers } from "./layers.ts";
import { type CallMark, readRecord, type SessionRecord, sessionDir, writeRecord } from "./record.ts";
import { checkpointed, forked, liveLayer, rewound, unwound } from "./stack.ts";

export interface Session {
  readonly workspace: WorkspaceFS;
  /** The merged view, as a diff reads it. */
  readonly view: Root;
  readonly record: SessionRecord;
  /** Before a call that changes something: its changes get a layer of their own. */
  checkpoint(call: CallMark): Promise<void>;
  /** Mounts anew when the project changed underneath; true when it did. */
  refresh(): Promise<boolean>;
  /** To before a call (its id, or `#3`), or with null to before the last rewind. */
  rewind(to: string | null): Promise<void>;
  /** Another session with the same changes; gives its id. */
  fork(): Promise<string>;
  touched(): Generator<TouchedDirectory, void, void>;
  close(): void;
}

export interface SessionPlace {
  /** As `openStateDir` gave it. */
  readonly stateDir: string;
  readonly protectionOf: (path: string) => Protection | null;
}

/** Makes a session for a project, or nothing: it is there when its directory has its name. */
export function createSession(workspace: string, stateDir: string): string {
  const project = openRoot(workspace);
  fs.closeSync(project.fd);
  const id = newId();
  const record: SessionRecord = {
    version: 1,
    id,
    workspace: project.path,
    created: new Date().toISOString(),
    strategy: "kernel",
    stack: [{ session: id, name: "1", call: null }],
    left: [],
    next: 2,
  };
  makeSessionDir(record, stateDir);
  return id;
}

export async function openSession(id: string, { stateDir, protectionOf }: SessionPlace): Promise<Session> {
  const dir = sessionDir(stateDir, id);
  let record = readRecord(dir);
  const release = holdLock(path.join(dir, "lock"));
  const view = createOverlayView(dir, record.workspace);

  const show = async (next: SessionRecord): Promise<void> => {
    await view.show(next.stack);
    writeRecord(dir, next);
    record = next;
  };
  const liveIsEmpty = (): boolean => fs.readdirSync(path.join(dir, liveLayer(record).name)).length === 0;
  try {
    await view.show(record.stack);
  } catch (error) {
    release();
    throw error;
  }
  const workspace = openDirectoryView({
    mode: "overlay",
    project: record.workspace,
    root: view.root,
    closeRoot: view.close,
    notesDir: path.join(dir, "notes"),
    protectionOf,
    onUse: view.notice,
  });
  return {
    workspace,
    view: view.root,
    get record() {
      return record;
    },
    checkpoint: (call) => show(checkpointed(record, call, liveIsEmpty())),
    async refresh() {
      if (!view.isStale()) return false;
      await view.show(record.stack);
      return true;
    },
    async rewind(to) {
      await show(to === null ? unwound(record) : rewound(record, to));
    },
    async fork() {
      // What the child begins with must not change any more.
      const frozen = liveIsEmpty() ? { ...record, stack: record.stack.slice(0, -1) } : record;
      if (frozen === record) await show(checkpointed(record, null, false));
      const child = forked(frozen, newId(), new Date().toISOString());
      makeSessionDir(child, stateDir);
      return child.id;
    },
    touched: () => withLayers(record, stateDir, touchedByLayers),
    close() {
      workspace.close();
      release();
    },
  };
}

/** Sorts by age, and says nothing about the project. */
function newId(): string {
  return `${Date.now().toString(36)}-${randomBytes(4).toString("hex")}`;
}

function makeSessionDir(record: SessionRecord, stateDir: string): void {
  const dir = sessionDir(stateDir, record.id);
  const made = `${dir}.new`;
  fs.mkdirSync(made, { recursive: true, mode: 0o700 });
  for (const name of ["merged", "notes"]) fs.mkdirSync(path.join(made, name), { mode: 0o700 });
  fs.symlinkSync(record.workspace, path.join(made, "lower"));
  writeRecord(made, record);
  fs.renameSync(made, dir);
}
