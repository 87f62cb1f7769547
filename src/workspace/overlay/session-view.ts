// The interface of a session's view. Two strategies implement it: overlayfs (overlay/kernel-view.ts), and a copy
// of the project where overlayfs is not available (overlay/clone-view.ts).
import type { Protection } from "../../policy/protected.ts";
import type { OnUse } from "../files/view.ts";
import type { Root } from "../fs/paths.ts";
import type { Stack } from "../layers/record.ts";
import type { HiddenSecrets } from "../secrets/find-secrets.ts";
import type { MountNamespace, MountPointOptions } from "./mount-namespace.ts";

/** The directory of the sessions, and the protection of paths in them. */
export interface SessionStore {
  /** The path that `openStateDir` returned. */
  readonly stateDir: string;
  readonly protectionOf: (path: string) => Protection | null;
  /** Reports progress while the clone strategy copies a project. */
  readonly onProgress?: (done: number, total: number | null) => void;
  /** How long to wait for a lock that another process holds. */
  readonly waitMs?: number;
  /** The most sessions of a project: then no more are created. No limit if omitted. */
  readonly maxSessions?: number;
}

/** The live view: the file tree that the session's tools and commands use. */
export interface SessionView {
  /** Its descriptor always belongs to the current view. */
  readonly root: Root;
  /** Makes the view show the project with these layers on top. The last layer receives the changes that follow. */
  show(stack: Stack): Promise<void>;
  /** Writes the changes of the view into the last layer. */
  capture(): Promise<void>;
  /** Whether the project had an entry at a path when the view was made; null if unknown. */
  had(path: string): boolean | null;
  /** Makes the next `show` drop changes of the view that could not be written into a layer. */
  forget(): void;
  /** Shows the project's changes at paths that no layer has. True if the project may have changed. */
  refresh(): Promise<boolean>;
  readonly onUse: OnUse;
  /** True if reads since the last refresh may have returned stale data. */
  isStale(): boolean;
  /** Hides the project's secrets now, and newly appeared ones whenever the view is recreated. WorkspaceFS refuses access to secrets in any case. */
  hideSecrets(): Promise<void>;
  /** Hides the secrets from the next `show` on. */
  mustHide(): void;
  /** Whether all secrets are hidden, including those that appeared since the view was made. */
  hidesAll(): Promise<boolean>;
  /** The secrets that the view hides from commands. */
  hidden(): HiddenSecrets;
  /** A mount namespace with the current view, for commands. It is valid until the next `show`. */
  openNamespace(options: Omit<MountPointOptions, "view">): Promise<MountNamespace>;
  close(): void;
}
