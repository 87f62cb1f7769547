// The server's end of the desk: asks for approval, and tells everybody who is connected, also of the questions that other
// processes ask about this project. A question expires when nobody
// who could answer it has been connected for a while.
import { setTimeout } from "node:timers/promises";
import type { Approve } from "../../approval/approve.ts";
import {
  answerQuestion,
  createDesk,
  findQuestion,
  type GivenAnswer,
  listQuestions,
  type Question,
  toQuestion,
} from "../../approval/desk.ts";
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { quote } from "../../core/quote.ts";
import type { Presence } from "./presence.ts";
import type { ServerEvents } from "./server-events.ts";

export interface Questions {
  /** For `onAsk` of the cells. */
  readonly onAsk: Approve;
  /** The same function, whose questions count as those of this server. Too many are answered with no. */
  limit(ask: Approve): Approve;
  /** The questions of this project that wait, also those of other processes, and of runs that a restart interrupted. */
  list(): Question[];
  /** Throws NOT_FOUND and PRECONDITION_FAILED as `answerQuestion` does. Returns the question. */
  answer(id: string, answer: GivenAnswer): Question;
  /** Throws UNAVAILABLE if too many questions wait. */
  refuseIfFull(): void;
}

export interface QuestionsOptions {
  readonly stateDir: string;
  readonly project: string;
  readonly presence: Presence;
  readonly events: ServerEvents;
}

const LOOK_EVERY_MS = 200;

export function createQuestions({ stateDir, project, presence, events }: QuestionsOptions): Questions {
  const { maxQuestions } = LIMITS.server;
  /** Those of this server. */
  const asking = new Set<Question>();
  /** Those of which clients know. */
  const announced = new Map<string, Question>();
  const desk = createDesk({ stateDir, client: (_, signal) => waitForAbsence(presence, signal) });
  const list = () => listQuestions(stateDir).filter((question) => question.project === project);
  const announce = (question: Question) => {
    if (announced.has(question.id)) return;
    announced.set(question.id, question);
    events.emit({ type: "approval:asked", ...question });
  };
  const retire = ({ id, callId, session }: Question, approved: boolean | null) => {
    if (announced.delete(id)) events.emit({ type: "approval:answered", id, callId, session, approved });
  };
  const isAsking = (id: string) => [...asking].some((question) => question.id === id);
  const limit =
    (ask: Approve): Approve =>
    async (request, signal) => {
      if (asking.size >= maxQuestions)
        return { approved: false, reason: `${maxQuestions} questions wait for an answer already` };
      const question = toQuestion(request);
      asking.add(question);
      announce(question);
      let approved = false;
      try {
        const answer = await ask(request, signal);
        approved = typeof answer === "boolean" ? answer : answer.approved;
        return answer;
      } finally {
        asking.delete(question);
        // The same call may have come twice: its question still waits.
        if (!isAsking(question.id)) retire(question, approved);
      }
    };
  events.watch({
    begin() {
      announced.clear();
      for (const question of [...list(), ...asking]) announced.set(question.id, question);
    },
    look() {
      const waiting = list();
      waiting.forEach(announce);
      const isOver = ({ id }: Question) => !isAsking(id) && !waiting.some((one) => one.id === id);
      for (const question of [...announced.values()].filter(isOver)) retire(question, null);
    },
  });
  return {
    list,
    onAsk: limit(desk),
    limit,
    answer(id, answer) {
      const question = findQuestion(stateDir, id);
      if (question?.project !== project)
        throw new HotcellError("NOT_FOUND", `There is no question ${quote(id)}.`);
      answerQuestion(stateDir, id, answer);
      if (!isAsking(id)) retire(question, answer.approved);
      return question;
    },
    refuseIfFull() {
      if (asking.size < maxQuestions) return;
      throw new HotcellError(
        "UNAVAILABLE",
        `Could not take the request: ${maxQuestions} questions wait for an answer. Answer some first.`,
        { retryAfterSeconds: 5 },
      );
    },
  };
}

async function waitForAbsence(presence: Presence, signal: AbortSignal) {
  const since = performance.now();
  const maxMs = LIMITS.approvalWaitMs;
  while (presence.absentMs(since) < maxMs) await setTimeout(LOOK_EVERY_MS, null, { signal });
  const reason = `nobody was connected who could answer, for ${maxMs / 1000} seconds`;
  return { approved: false, expired: true, reason };
}
