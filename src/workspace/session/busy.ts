// Background processes that use a session's view: while there is one, the view stays the same.
import { HotcellError } from "../../core/errors.ts";
import type { MountNamespace, MountPointOptions } from "../overlay/mount-namespace.ts";
import type { SessionState } from "./session-state.ts";

/** Keeps the same view until the returned function is called. */
export function holdView(state: SessionState): () => void {
  const holder = Symbol();
  state.holders.add(holder);
  state.wasHeld = true;
  return () => void state.holders.delete(holder);
}

/** A background process would continue on the old view. */
export function refuseIfBusy({ holders }: SessionState, what: string): void {
  if (holders.size === 0) return;
  const message = `Could not ${what}: a background process uses the session. Stop it first.`;
  throw new HotcellError("LOCKED", message);
}

export async function hideSecretsIn({ holders, view }: SessionState): Promise<void> {
  if (holders.size === 0) await view.hideSecrets();
}

export async function openNamespaceIn(
  { holders, view }: SessionState,
  options: Omit<MountPointOptions, "view">,
): Promise<MountNamespace> {
  if (holders.size > 0 && !(await view.hidesAll())) throw cannotHideError();
  return view.openNamespace(options);
}

function cannotHideError(): HotcellError {
  const message =
    "Could not run the command: the project has a new secret, and hotcell cannot hide it while a background process uses the session. Stop that process first.";
  return new HotcellError("LOCKED", message);
}
