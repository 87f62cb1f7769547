// The filesystem of each tool: the project, all mounts, or the project and a storage beside it.
import { runPaths } from "../log/runs.ts";
import type { Protection } from "../policy/protected.ts";
import type { PathNaming } from "../policy/tool-names.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import {
  type Mount,
  type MountContext,
  type MountOptions,
  openHostMount,
  openStateMount,
} from "../workspace/mounts/mount.ts";
import { mountedFiles } from "../workspace/mounts/mounted-files.ts";
import { bareAndStoragePaths, mountPaths, type Naming } from "../workspace/mounts/naming.ts";
import type { Files } from "../workspace/open-files.ts";

export interface FilesystemOptions {
  /** Additional directories for tools with mount paths, by name: `{ pkg: { path } }` is `@pkg`. */
  readonly mounts?: Readonly<Record<string, MountOptions>>;
  /** A second directory for the toolset `studio`. Writes to it take effect immediately; commands may read it. */
  readonly storage?: string;
}

export interface ToolFilesystem {
  /** Takes paths in the tool's own notation. */
  readonly files: WorkspaceFS;
  /** Takes a path that `files` resolved. */
  protectionOf(path: string): Protection | null;
  /** Whether a change at a resolved path stays in the session until a commit. */
  contains(path: string): boolean;
  /** A resolved path relative to the project; null if it is elsewhere. */
  projectPath(path: string): string | null;
}

export interface ToolFilesystems {
  of(tool: Pick<Tool, "naming">): ToolFilesystem;
  /** Closes everything except the project, which the caller owns. */
  close(): void;
}

export function openToolFilesystems(
  { mounts = {}, storage }: FilesystemOptions,
  { workspace, stateDir, run }: Pick<Files, "workspace" | "stateDir" | "run">,
  protectionOf: MountContext["protectionOf"],
): ToolFilesystems {
  const opened: Mount[] = [];
  const open = (mount: Mount): Mount => {
    opened.push(mount);
    return mount;
  };
  const close = () => {
    for (const { files } of opened) files.close();
  };
  const place = { stateDir, project: workspace.root, protectionOf };
  const project: Mount = { name: "project", files: workspace, protectionOf, contained: true };
  try {
    const state = open(openStateMount(runPaths(stateDir, run).dir, protectionOf));
    const more = Object.entries(mounts).map(([name, options]) => open(openHostMount(name, options, place)));
    const central =
      storage === undefined ? null : open(openHostMount("storage", { path: storage, access: "rw" }, place));
    const all = [project, state, ...more];
    const filesystems: Readonly<Record<PathNaming, ToolFilesystem>> = {
      project: { files: workspace, protectionOf, contains: () => true, projectPath: (at) => at },
      mounts: createToolFilesystem(all, mountPaths(all)),
      storage: createToolFilesystem(
        central ? [project, central] : [project],
        bareAndStoragePaths(project, central, storage ?? ""),
      ),
    };
    return { of: ({ naming }) => filesystems[naming], close };
  } catch (error) {
    close();
    throw error;
  }
}

function createToolFilesystem(mounts: readonly Mount[], naming: Naming): ToolFilesystem {
  return {
    files: mountedFiles(mounts, naming),
    protectionOf(at) {
      const { mount, path } = naming.find(at);
      return mount.protectionOf(path);
    },
    contains: (at) => naming.find(at).mount.contained,
    projectPath(at) {
      const { mount, path } = naming.find(at);
      return mount.name === "project" ? path : null;
    },
  };
}
