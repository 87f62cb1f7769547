// Makes the artifacts of a session readable as files, by the path `artifact:ID`. No other file of the log is reachable.
// Artifacts contain no secrets: hotcell removes them before it stores an artifact.
import path from "node:path";
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { makeLogDirectory } from "../log/log-file.ts";
import { READ_ONLY } from "../policy/protected.ts";
import { viewHostDirectory } from "../workspace/directory/host.ts";
import { openRoot } from "../workspace/fs/paths.ts";
import type { Mount } from "../workspace/mounts/mount.ts";
import { mountedFiles } from "../workspace/mounts/mounted-files.ts";
import type { Naming } from "../workspace/mounts/naming.ts";
import type { ToolFilesystem } from "./tool-filesystems.ts";

export interface ArtifactFiles {
  /** The artifacts, if the paths of a call name artifacts; otherwise null. */
  find(paths: readonly string[]): ToolFilesystem | null;
  close(): void;
}

const PREFIX = "artifact:";
const ARTIFACT_PATH = /^artifact:[0-9a-f]{64}$/;

export const artifactPath = (id: string): string => `${PREFIX}${id}`;

/** `dir` has the artifacts of one log. It is opened at the first use. */
export function createArtifactFiles(dir: string): ArtifactFiles {
  let opened: { readonly mount: Mount; readonly place: ToolFilesystem } | null = null;
  return {
    find(paths) {
      if (!paths.some((at) => ARTIFACT_PATH.test(at))) return null;
      opened ??= openArtifacts(dir);
      return opened.place;
    },
    close: () => opened?.mount.files.close(),
  };
}

function openArtifacts(dir: string) {
  makeLogDirectory(dir);
  const protectionOf = () => READ_ONLY;
  const files = viewHostDirectory(openRoot(dir), path.join(dir, ".notes"), protectionOf);
  const mount: Mount = { name: "artifact", files, protectionOf, contained: true };
  const place = {
    files: mountedFiles([mount], namingOf(mount)),
    protectionOf,
    contains: () => true,
    projectPath: () => null,
  };
  return { mount, place };
}

function namingOf(mount: Mount): Naming {
  return {
    spell: (given) => given,
    find(given) {
      if (ARTIFACT_PATH.test(given)) return { mount, path: given.slice(PREFIX.length) };
      throw new HotcellError(
        "PATH_OUTSIDE_WORKSPACE",
        `Could not use the path ${quote(given)} in one call with an artifact.`,
      );
    },
    name: ({ path: id }) => artifactPath(id),
  };
}
