// How a session's view of the project is made. Two strategies: the kernel's overlay (overlay/kernel-view.ts),
// and a copy of the project where there is none (overlay/clone-view.ts).
import type { Protection } from "../../policy/protected.ts";
import type { UseNotice } from "../files/view.ts";
import type { Root } from "../fs/paths.ts";
import type { Stack } from "../layers/record.ts";
import type { Furnishing, Room } from "./mount-namespace.ts";

/** Where sessions are, and what is kept from them. */
export interface SessionPlace {
  /** As `openStateDir` gave it. */
  readonly stateDir: string;
  readonly protectionOf: (path: string) => Protection | null;
  /** Told while a project is copied, where that is needed. */
  readonly onProgress?: (done: number, total: number | null) => void;
}

/** The live view: what the session's tools and commands work on. */
export interface SessionView {
  /** Its descriptor is always that of the present view. */
  readonly root: Root;
  /** Makes the view be the project with these layers on it; the last layer takes the changes that follow. */
  show(stack: Stack): Promise<void>;
  /** Puts what was changed in the view into the last layer. */
  capture(): Promise<void>;
  /** Whether the project had something at a path when the view was made; null where that is not known. */
  had(path: string): boolean | null;
  /** What was changed in the view and could not be put into a layer is gone with the next `show`. */
  forget(): void;
  /** Takes in what changed in the project, where the session has nothing of its own; true when something may have. */
  refresh(): Promise<boolean>;
  readonly notice: UseNotice;
  /** True when what was read since the last refresh may be old. */
  isStale(): boolean;
  /** Makes the project's secrets not be there, and whenever the view is made anew those that came since. Whoever goes through WorkspaceFS is kept from them in any case. */
  hideSecrets(): Promise<void>;
  /** From the next `show` on they are not there. */
  mustHide(): void;
  /** Whether they are all hidden, also those that came since the view was made. */
  hidesAll(): Promise<boolean>;
  /** A room in which commands meet the view as it is now; until the next `show`. */
  room(furnishing: Omit<Furnishing, "view">): Promise<Room>;
  close(): void;
}
