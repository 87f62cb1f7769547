// The roots of a client: the directories that it works in. They only narrow: what is in no root is refused, and a root
// outside the project gives nothing.
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inputResponse } from "@modelcontextprotocol/server";
import { HotcellError } from "../../core/errors.ts";

/** The key of the question in a result, and of the answer in the next request. */
export const ROOTS_KEY = "roots";

/** Throws DENIED if the client does not list its roots, though it declares that it can. */
export function readRoots(responses: Record<string, unknown> | undefined): unknown[] {
  const response = inputResponse(responses, ROOTS_KEY);
  if (response.kind === "roots") return response.roots;
  throw new HotcellError("DENIED", "The call was not run: the MCP client has roots, and did not list them.");
}

/**
 * The directories in the project to which a client with these roots keeps; undefined if that is all of it. A client
 * without a root, such as an inspector, keeps to nothing in particular.
 */
export function rootsWithin(project: string, roots: readonly unknown[]): readonly string[] | undefined {
  if (roots.length === 0) return undefined;
  const within = roots.flatMap((root) => {
    const directory = directoryOf((root as { uri?: unknown } | null)?.uri);
    return directory === null ? [] : intersect(project, directory);
  });
  return within.includes("") ? undefined : within;
}

/** Null for a URI of another kind, and for a directory that does not exist. */
function directoryOf(uri: unknown): string | null {
  try {
    return fs.realpathSync(fileURLToPath(String(uri)));
  } catch {
    return null;
  }
}

/** Empty if the two have nothing in common. */
function intersect(project: string, root: string): string[] {
  const isBelow = (above: string, at: string) =>
    at === above || at.startsWith(above === "/" ? "/" : `${above}/`);
  if (isBelow(root, project)) return [""];
  return isBelow(project, root) ? [path.relative(project, root)] : [];
}
