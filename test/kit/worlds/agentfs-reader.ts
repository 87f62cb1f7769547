// Reads a project with an AgentFS database over it as AgentFS's overlay does, by code of its own: a whiteout at a path
// or above it hides everything there, then the database's entry counts, then the project's.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import Database from "libsql";
import { type Planted, type PlantedTree, survey } from "./planted-tree.ts";

interface Row {
  readonly path: string;
  readonly ino: number;
  readonly mode: number;
  readonly target: string | null;
}

const ENTRIES = `
  WITH RECURSIVE entry(path, ino) AS (
    SELECT name, ino FROM fs_dentry WHERE parent_ino = 1
    UNION ALL
    SELECT entry.path || '/' || fs_dentry.name, fs_dentry.ino FROM fs_dentry JOIN entry ON fs_dentry.parent_ino = entry.ino
  )
  SELECT path, ino, mode, target FROM entry JOIN fs_inode USING (ino) LEFT JOIN fs_symlink USING (ino)`;

/** The same while a session has the file locked. Another process makes the copy: closing a file ends all locks that its own process has on it. */
export function readOverlaidCopy(project: string, file: string): Map<string, Planted> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "hotcell-copy-"));
  const copy = path.join(dir, "copy.db");
  try {
    execFileSync("cp", [file, copy]);
    if (fs.existsSync(`${file}-wal`)) execFileSync("cp", [`${file}-wal`, `${copy}-wal`]);
    return readOverlaid(project, copy);
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

export function readOverlaid(project: string, file: string): Map<string, Planted> {
  const db = new Database(file, { readonly: true });
  try {
    const [damage] = db.prepare("PRAGMA integrity_check").all() as [{ integrity_check: string }];
    if (damage.integrity_check !== "ok") throw new Error(`${file}: ${damage.integrity_check}`);
    const whiteouts = new Set(
      db
        .prepare("SELECT path FROM fs_whiteout")
        .all()
        .map((row) => (row as { path: string }).path.slice(1)),
    );
    const delta = new Map(
      (db.prepare(ENTRIES).all() as Row[]).map((row): [string, Planted] => [row.path, plantedOf(row, db)]),
    );
    return overlaid(survey(project), delta, whiteouts);
  } finally {
    db.close();
  }
}

function plantedOf({ ino, mode, target }: Row, db: Database.Database): Planted {
  if ((mode & 0o170000) === 0o120000) return { kind: "symlink", target: target! };
  if ((mode & 0o170000) === 0o040000) return { kind: "directory", mode: mode & 0o7777 };
  const rows = db.prepare("SELECT data FROM fs_data WHERE ino = ? ORDER BY chunk_index").all(ino);
  const chunks = rows.map((row) => Buffer.from((row as { data: Buffer }).data));
  return { kind: "file", mode: mode & 0o7777, content: Buffer.concat(chunks).toString("latin1") };
}

function overlaid(
  base: PlantedTree,
  delta: PlantedTree,
  whiteouts: ReadonlySet<string>,
): Map<string, Planted> {
  const parentsOf = (path: string) => path.split("/").map((_, at, names) => names.slice(0, at + 1).join("/"));
  const isHidden = (path: string) => parentsOf(path).some((at) => whiteouts.has(at));
  /** In AgentFS only a directory of the database leads on to the project's entries. */
  const isCut = (path: string) =>
    parentsOf(path).some((at) => delta.get(at) !== undefined && delta.get(at)!.kind !== "directory");
  const shown = new Map([...base].filter(([path]) => !isHidden(path) && !isCut(path)));
  for (const [path, planted] of delta) if (!isHidden(path)) shown.set(path, planted);
  return shown;
}
