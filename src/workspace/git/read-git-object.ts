import type { RootOf } from "../fs/fingerprint.ts";
import type { ObjectFormat } from "./blob-id.ts";
import { missingError, type ObjectName, tryReadLooseObject } from "./loose-object.ts";
import { loosePath, type ProjectObjects } from "./project-objects.ts";

export interface SessionObjects {
  readonly view: RootOf;
  readonly project: ProjectObjects;
  readonly format: ObjectFormat;
}

/** The content of an object of the project, loose or packed, or of a loose object of the session. */
export function readGitObject(name: ObjectName, { view, project, format }: SessionObjects): Buffer {
  const known = project.read(name, format);
  if (known !== null) return known;
  const root = view(loosePath(name.id));
  const found = root && tryReadLooseObject(root, name, format);
  if (found) return found.content;
  throw missingError(name.id);
}
