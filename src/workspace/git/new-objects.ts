// The objects behind a commit of the session that the project does not have.
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Cooperative } from "../fs/cooperative.ts";
import type { Root } from "../fs/paths.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { badObjectError, type ObjectName, type ObjectType, readLooseObject } from "./loose-object.ts";
import { isObject, readCommit, readTreeItems } from "./object-references.ts";
import type { ProjectObjects } from "./project-objects.ts";

export interface ObjectSources {
  /** The session's view. */
  readonly view: Root;
  readonly project: ProjectObjects;
  readonly format: ObjectFormat;
}

/** The new objects, each checked, and each after all objects that it names. */
export function* findNewObjects(tip: ObjectName, sources: ObjectSources): Cooperative<ObjectName[]> {
  const { view, project, format } = sources;
  const types = new Map<string, ObjectType | "in the project">();
  const found: ObjectName[] = [];
  let bytes = 0;
  /** Null if the object needs no visit. */
  const visit = (name: ObjectName): Visit | null => {
    const known = types.get(name.id);
    if (known === undefined && project.has(name.id)) types.set(name.id, "in the project");
    if (known === undefined && types.size > LIMITS.maxGitBranchIds)
      throw tooLargeError(`${LIMITS.maxGitBranchIds} ids`);
    if (types.has(name.id)) {
      checkType(name, types.get(name.id)!);
      return null;
    }
    types.set(name.id, name.type);
    const { content } = readLooseObject(view, name, format);
    bytes += content.length;
    if (bytes > LIMITS.maxGitBranchBytes) throw tooLargeError(`${LIMITS.maxGitBranchBytes} bytes`);
    return { name, rest: referencesIn(name, content, format).reverse() };
  };
  const first = visit(tip);
  const way = first === null ? [] : [first];
  while (way.length > 0) {
    const { name, rest } = way.at(-1)!;
    const next = rest.pop();
    const below = next === undefined ? null : visit(next);
    if (below !== null) way.push(below);
    if (next === undefined) {
      way.pop();
      found.push(name);
    }
    yield;
  }
  return found;
}

interface Visit {
  readonly name: ObjectName;
  /** The ids in it that are still to visit, the next one last. */
  readonly rest: ObjectName[];
}

function referencesIn({ id, type }: ObjectName, content: Buffer, format: ObjectFormat): ObjectName[] {
  if (type === "blob") return [];
  return type === "commit" ? readCommit(id, content) : readTreeItems(id, content, format).filter(isObject);
}

function checkType({ id, type }: ObjectName, known: ObjectType | "in the project"): void {
  if (known !== type && known !== "in the project")
    throw badObjectError(id, `it is named as a ${type} and as a ${known}`);
}

export function tooLargeError(limit: string): HotcellError {
  return new HotcellError("FILE_TOO_LARGE", `Could not take the commits: they have more than ${limit}.`);
}
