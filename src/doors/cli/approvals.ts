import { answerQuestion, listQuestions, type Question } from "../../approval/desk.ts";
import { REMEMBER_FOR, type Remember } from "../../approval/remembered.ts";
import { HotcellError } from "../../core/errors.ts";
import { makeVisible, quote } from "../../core/quote.ts";
import { describeQuestion } from "./approve.ts";
import { type ExitCode, type Io, printJson, printLines, usage } from "./io.ts";
import { type SessionFlags, sessionStoreFor } from "./session/find-session.ts";

export interface AnswerFlags extends SessionFlags {
  readonly reason?: string;
  readonly remember?: string;
  readonly allowRule?: string;
}

export function printQuestions(io: Io, flags: SessionFlags): ExitCode {
  const questions = listQuestions(sessionStoreFor(io, flags).stateDir);
  if (flags.json === true) printJson(io, questions, true);
  else if (questions.length === 0) printLines(io, "No question waits for an answer.");
  else
    for (const question of questions)
      io.out(`${question.id}  ${describeQuestion(question)}\n${describeRule(question)}\n`);
  return 0;
}

/** The rule is shown before it is saved. */
function describeRule({ id, allowRule, rememberFor }: Question): string {
  if (allowRule === null || allowRule.includes("'") || !rememberFor.includes("project")) return "";
  return `To allow it always: hotcell approvals allow ${id} --remember project --allow-rule '${makeVisible(allowRule)}'\n`;
}

/** Answers the question as it is now: the person has seen it in the list. */
export function giveAnswer(io: Io, approved: boolean, given: string, flags: AnswerFlags): ExitCode {
  const { stateDir } = sessionStoreFor(io, flags);
  const { id, digest } = findQuestion(given, listQuestions(stateDir));
  const remember = readRemember(flags);
  const { reason } = flags;
  answerQuestion(stateDir, id, {
    approved,
    digest,
    ...(reason !== undefined && { reason }),
    ...(remember !== null && { remember }),
  });
  printLines(io, approved ? `Allowed ${id}.` : `Denied ${id}.`);
  return 0;
}

function findQuestion(given: string, questions: readonly Question[]): Question {
  const found = questions.filter(({ id }) => id.startsWith(given));
  if (found.length === 1 && given !== "") return found[0]!;
  const state = found.length === 0 ? "no question has that id" : "several questions begin with it";
  throw new HotcellError("NOT_FOUND", `Could not answer ${quote(given)}: ${state}. See hotcell approvals.`);
}

function readRemember({ remember, allowRule }: AnswerFlags): Remember | null {
  if (remember === undefined && allowRule === undefined) return null;
  const kind = REMEMBER_FOR.find((known) => known === remember);
  if (kind === undefined)
    throw usage(`--remember is ${quote(remember ?? "")}; allowed are ${REMEMBER_FOR.join(", ")}.`);
  return { for: kind, ...(allowRule !== undefined && { rule: allowRule }) };
}
