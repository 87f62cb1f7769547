import type { Session } from "../../workspace/session/session-types.ts";

/** What tools may do with the session of their cell as a whole. */
export interface SessionKit extends Pick<Session, "diff" | "plan" | "commit" | "discard" | "rewind"> {
  /** Creates another session of the same project, and returns its id. */
  create(): Promise<string>;
}
