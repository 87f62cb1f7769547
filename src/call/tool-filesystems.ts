// Where the paths of a tool lead: into the project, to a mount, or to the project and a storage beside it.
import { runPaths } from "../log/runs.ts";
import type { Protection } from "../policy/protected.ts";
import type { PathNaming } from "../policy/tool-names.ts";
import type { Tool } from "../tools/define-tool.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import {
  type Mount,
  type MountOptions,
  type MountPlace,
  openHostMount,
  openStateMount,
} from "../workspace/mounts/mount.ts";
import { mountedFiles } from "../workspace/mounts/mounted-files.ts";
import { bareAndStoragePaths, mountPaths, type Naming } from "../workspace/mounts/naming.ts";
import type { Files } from "../workspace/open-files.ts";

export interface PlacesOptions {
  /** More directories for tools on mount paths, by name: `{ pkg: { path } }` is `@pkg`. */
  readonly mounts?: Readonly<Record<string, MountOptions>>;
  /** A second directory for the toolset `studio`, which is written at once; commands may read it. */
  readonly storage?: string;
}

export interface ToolFilesystems {
  /** By paths as the tool says them. */
  readonly files: WorkspaceFS;
  /** Of a path as `files` resolves it. */
  protectionOf(path: string): Protection | null;
  /** Whether what is changed at such a path stays in the cell until somebody takes it out. */
  contains(path: string): boolean;
}

export interface OpenPlaces {
  of(tool: Pick<Tool, "naming">): ToolFilesystems;
  /** All but the project, which is not theirs. */
  close(): void;
}

export function openPlaces(
  { mounts = {}, storage }: PlacesOptions,
  { workspace, stateDir, run }: Pick<Files, "workspace" | "stateDir" | "run">,
  protectionOf: MountPlace["protectionOf"],
): OpenPlaces {
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
    const places: Readonly<Record<PathNaming, ToolFilesystems>> = {
      project: { files: workspace, protectionOf, contains: () => true },
      mounts: placesIn(all, mountPaths(all)),
      storage: placesIn(
        central ? [project, central] : [project],
        bareAndStoragePaths(project, central, storage ?? ""),
      ),
    };
    return { of: ({ naming }) => places[naming], close };
  } catch (error) {
    close();
    throw error;
  }
}

function placesIn(mounts: readonly Mount[], naming: Naming): ToolFilesystems {
  return {
    files: mountedFiles(mounts, naming),
    protectionOf(at) {
      const { mount, path } = naming.find(at);
      return mount.protectionOf(path);
    },
    contains: (at) => naming.find(at).mount.contained,
  };
}
