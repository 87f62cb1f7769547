import { judgedPaths } from "../diff/judged-paths.ts";
import type { SessionStore } from "../overlay/session-view.ts";
import type { IsSecret } from "./write-entry.ts";

/** Whether a path has the name of a secret: it is never written to a database, nor taken from one. */
export function createSecretCheck(protectionOf: SessionStore["protectionOf"]): IsSecret {
  return (path, isDirectory) =>
    judgedPaths(path, isDirectory).some((judged) => protectionOf(judged)?.read === "refuse");
}
