import type { GivenAnswer } from "../../approval/desk.ts";
import type { CellOptions } from "../../cell.ts";
import type { Json } from "../../core/json.ts";
import type { WireFormat } from "../../tools/definitions.ts";
import type { SessionStore } from "../../workspace/overlay/session-view.ts";
import type { TokenFile } from "../http/token-file.ts";
import type { Presence } from "./presence.ts";
import type { Questions } from "./questions.ts";
import type { RunFeed } from "./runs/run-feed.ts";
import type { Runs, ServedAgent } from "./runs/runs.ts";
import type { ServerEvents } from "./server-events.ts";
import type { SessionCells } from "./session-cells.ts";

/** What the routes of one server share. */
export interface ApiParts {
  /** The real path of the project. */
  readonly project: string;
  readonly cellOptions: CellOptions;
  readonly store: SessionStore;
  readonly cells: SessionCells;
  readonly events: ServerEvents;
  readonly presence: Presence;
  readonly questions: Questions;
  readonly token: TokenFile;
  readonly agent: ServedAgent | null;
  readonly runs: Runs;
  readonly feed: RunFeed;
  /** Answers a question, and continues its run if nobody works on it. Returns the question's id. */
  answer(id: string, answer: GivenAnswer): string;
  readonly onError: (error: unknown) => void;
  toolsFor(format: WireFormat): Json[];
}
