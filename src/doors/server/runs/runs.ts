// The runs of the project: starts, continues and cancels them. The loop itself, and all that is known of a run, is the
// agent's; here is only which runs go on in this process.
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { AgentEvent } from "../../../agent/agent-event.ts";
import { listRunFiles, outlineRun, type RunFile, type RunOutline } from "../../../agent/list-runs.ts";
import { type AgentOptions, runAgent } from "../../../agent/run-agent.ts";
import { runLogFile } from "../../../agent/run-log.ts";
import type { Cell } from "../../../cell.ts";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { quote } from "../../../core/quote.ts";
import { createSuspension } from "../../../core/suspension.ts";
import { agentDirOf, runPaths } from "../../../log/runs.ts";
import type { ModelMessage } from "../../../models/model.ts";
import type { Questions } from "../questions.ts";
import type { SessionCells } from "../session-cells.ts";
import type { RunFeed } from "./run-feed.ts";

/** The model of all runs, and what each of them may spend. */
export type ServedAgent = Omit<AgentOptions, "cell" | "messages" | "run" | "signal">;

export interface RunSummary extends Omit<RunOutline, "isOpen"> {
  readonly id: string;
  readonly session: string;
  /** `interrupted`: it stopped in the middle. `waiting`: a question of it waits; after a restart the answer continues it. */
  readonly state: "running" | "waiting" | "interrupted" | "ended";
}

export interface StartedRun {
  readonly run: string;
  readonly session: string;
}

export interface Runs {
  list(): RunSummary[];
  /** Throws NOT_FOUND if there is no such run of this project. */
  find(run: string): RunFile;
  describe(file: RunFile): RunSummary;
  /** Starts a run, in a new session unless one is named. Resolves when its first event is written. */
  start(messages: readonly ModelMessage[], session?: string): Promise<StartedRun>;
  /** Continues a run: with more messages, or where it was interrupted. */
  resume(run: string, messages?: readonly ModelMessage[]): Promise<StartedRun>;
  /** False if the run does not go on in this process. */
  cancel(run: string): boolean;
  /** A question was answered. If it is of a run that nobody works on, the run continues. */
  continueAnswered(callId: string): void;
  /** Suspends all runs, each after the calls that are under way, but not later than after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface RunsOptions {
  readonly stateDir: string;
  readonly agent: ServedAgent | null;
  readonly cells: SessionCells;
  readonly feed: RunFeed;
  readonly questions: Questions;
  readonly onError: (error: unknown) => void;
}

interface ActiveRun {
  readonly cancelled: AbortController;
  readonly calls: Set<string>;
  readonly ended: Promise<void>;
}

export function createRuns(options: RunsOptions): Runs {
  const { stateDir, agent, cells, feed, questions, onError } = options;
  const active = new Map<string, ActiveRun>();
  let isStopping = false;

  const files = () => listRunFiles(stateDir).filter(({ session }) => cells.has(session));
  const find = (run: string) => {
    const found = files().find((file) => file.run === run);
    if (found === undefined) throw new HotcellError("NOT_FOUND", `There is no run ${quote(run)}.`);
    return found;
  };
  const describe = ({ run: id, session, file }: RunFile): RunSummary => {
    const { isOpen, ...outline } = outlineRun(file);
    const asks = questions.list().some(({ callId }) => callId.startsWith(`${id}.`));
    const isOver = outline.stop !== null && !isOpen;
    const state = isOver ? "ended" : asks ? "waiting" : isOpen ? "running" : "interrupted";
    return { id, session, ...outline, stop: isOver ? outline.stop : null, state };
  };

  /** Notes which calls are under way. */
  const notice = (event: AgentEvent, { calls, cancelled }: ActiveRun) => {
    if (event.kind === "call.started") calls.add(event.callId);
    if (event.kind === "call.result") calls.delete(event.callId);
    if (isStopping && calls.size === 0) cancelled.abort(createSuspension());
  };

  /** A run that is refused chooses no session. */
  const begin = (
    run: string,
    chooseSession: () => Promise<string>,
    messages: readonly ModelMessage[],
  ): Promise<StartedRun> => {
    if (agent === null) throw noModel();
    if (isStopping || active.size >= LIMITS.server.maxRuns) throw tooMany(active.size);
    if (active.has(run)) throw busy(run);
    const cancelled = new AbortController();
    const calls = new Set<string>();
    return new Promise((resolve, reject) => {
      const work = async (cell: Cell, session: string) => {
        feed.open(run, runFileOf(stateDir, session, run));
        for await (const event of runAgent({ ...agent, cell, run, messages, signal: cancelled.signal })) {
          feed.publish(run, event);
          notice(event, one);
          resolve({ run, session });
        }
      };
      const end = () => {
        active.delete(run);
        feed.close(run);
        reject(new HotcellError("CANCELLED", "The run was stopped before it began."));
      };
      const fail = (error: unknown) => {
        if (!(error instanceof HotcellError)) onError(error);
        reject(error);
      };
      const ended = chooseSession()
        .then((session) => cells.use(session, (cell) => work(cell, session)))
        .catch(fail)
        .finally(end);
      const one: ActiveRun = { cancelled, calls, ended };
      active.set(run, one);
    });
  };

  return {
    list: () =>
      files()
        .sort((a, b) => a.changedMs - b.changedMs)
        .map(describe),
    find,
    describe,
    async start(messages, session) {
      const chooseSession = () => (session === undefined ? cells.create() : cells.find(session));
      return begin(`run_${randomUUID().replaceAll("-", "")}`, chooseSession, messages);
    },
    async resume(run, messages = []) {
      const { session } = find(run);
      return begin(run, async () => session, messages);
    },
    cancel(run) {
      const found = active.get(run);
      found?.cancelled.abort(new HotcellError("CANCELLED", "The run was cancelled."));
      return found !== undefined;
    },
    continueAnswered(callId) {
      const run = /^(run_[a-z0-9]+)\./.exec(callId)?.[1];
      if (run === undefined || agent === null || active.has(run)) return;
      const file = files().find((one) => one.run === run);
      if (file === undefined || outlineRun(file.file).isOpen) return;
      begin(run, async () => file.session, []).catch((error: unknown) => {
        if (!(error instanceof HotcellError)) onError(error);
      });
    },
    async stop(graceMs) {
      isStopping = true;
      // The events that are written already are noticed first.
      await setImmediate();
      const suspend = (isDue: (run: ActiveRun) => boolean) => {
        for (const run of active.values()) if (isDue(run)) run.cancelled.abort(createSuspension());
      };
      suspend(({ calls }) => calls.size === 0);
      const timer = setTimeout(() => suspend(() => true), graceMs);
      await Promise.all([...active.values()].map(({ ended }) => ended));
      clearTimeout(timer);
    },
  };
}

/** The file of a run that may not have begun yet. */
function runFileOf(stateDir: string, session: string, run: string): string {
  return runLogFile(agentDirOf(runPaths(stateDir, session).logFile), run);
}

function noModel(): HotcellError {
  return new HotcellError(
    "CONFIG_INVALID",
    "Could not start the run: the server has no model. Start it with --model PROVIDER/NAME.",
  );
}

function busy(run: string): HotcellError {
  return new HotcellError("LOCKED", `Could not continue the run ${quote(run)}: it goes on already.`);
}

function tooMany(count: number): HotcellError {
  return new HotcellError(
    "UNAVAILABLE",
    `Could not start the run: ${count} runs go on, or the server stops. Try again later.`,
    { retryAfterSeconds: 5 },
  );
}
