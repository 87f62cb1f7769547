import type { Cooperative } from "../fs/cooperative.ts";
import type { RootOf } from "../fs/fingerprint.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { missingError, type ObjectName, tryReadLooseObject } from "./loose-object.ts";
import { readCommit, readTreeItems } from "./object-references.ts";
import { loosePath, type ProjectObjects } from "./project-objects.ts";

interface SessionObjects {
  readonly view: RootOf;
  readonly project: ProjectObjects;
  readonly format: ObjectFormat;
}

/**
 * Which of the paths a commit of the session does not have. hotcell does not read packs: a directory that is packed in
 * the project's repository counts as unchanged.
 */
export function* findLostPaths(
  tip: ObjectName,
  paths: Iterable<string>,
  { view, project, format }: SessionObjects,
): Cooperative<string[]> {
  /** Null for an object that only a pack of the project has. */
  const contentOf = (name: ObjectName): Buffer | null => {
    const root = view(loosePath(name.id));
    const content = root && tryReadLooseObject(root, name, format)?.content;
    if (content) return content;
    if (project.has(name.id)) return null;
    throw missingError(name.id);
  };
  const commit = contentOf(tip);
  if (commit === null) return [];
  const [root] = readCommit(tip.id, commit);
  const lost: string[] = [];
  for (const path of paths) {
    let at: ObjectName | undefined = root;
    for (const name of path.split("/")) {
      const content: Buffer | null = at?.type === "tree" ? contentOf(at) : null;
      if (at === undefined || content === null) break;
      at = readTreeItems(at.id, content, format).find((item) => item.name === name);
      yield;
    }
    if (at === undefined) lost.push(path);
  }
  return lost;
}
