import fs from "node:fs";
import path from "node:path";
import { envFor } from "../../shield/process/environment.ts";

/** The PATH of configured tools. */
export function systemPath(): string {
  return envFor({}).PATH!;
}

/** The first program of that name on the path that is not in the workspace, also not through a link. */
export function findProgram(name: string, searchPath: string, workspace: string | null): string | null {
  if (/^\.{0,2}$|[/\0]/.test(name)) return null;
  const places = searchPath.split(":").filter(path.isAbsolute);
  const isUsable = (at: string) => isProgram(at) && !leadsInto(workspace, at);
  return places.map((place) => path.join(place, name)).find(isUsable) ?? null;
}

function isProgram(at: string): boolean {
  try {
    fs.accessSync(at, fs.constants.X_OK);
    return fs.statSync(at).isFile();
  } catch {
    return false;
  }
}

function leadsInto(workspace: string | null, at: string): boolean {
  if (workspace === null) return false;
  const inside = (place: string) => `${place}/`.startsWith(workspace.replace(/\/*$/, "/"));
  return inside(at) || inside(fs.realpathSync(at));
}
