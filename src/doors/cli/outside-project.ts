// The environment of programs of the user that hotcell starts outside a sandbox.
import path from "node:path";
import { tryRealPath } from "../../core/real-path.ts";
import { HELPER_ENVIRONMENT } from "../../workspace/fs/helper-environment.ts";
import { isBelow } from "../../workspace/fs/path-text.ts";
import type { Io } from "./io.ts";

/** With a PATH that leads to no program of the project: `npx` puts the project's node_modules/.bin first. */
export function outsideProject(env: Io["env"], project: string): Io["env"] {
  const root = tryRealPath(project) ?? project;
  const isOutside = (at: string) => {
    const real = path.isAbsolute(at) ? tryRealPath(at) : null;
    return real !== null && !isBelow(real, root) && !/\/node_modules\/\.bin$/.test(real);
  };
  const outside = (env.PATH ?? "").split(":").filter(isOutside);
  // An empty PATH would be the current directory.
  return { ...env, PATH: outside.join(":") || HELPER_ENVIRONMENT.PATH };
}
