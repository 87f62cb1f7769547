// The desk where questions wait. A question is a file in the state directory, so that every terminal and every client of
// this user can list and answer it, also after a restart. The first answer wins.
import { hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { formatKey } from "../config/check-json-text.ts";
import { findFault } from "../config/find-fault.ts";
import type { Schema } from "../config/schema.ts";
import { HotcellError, osErrorCode } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import { isSuspended } from "../core/suspension.ts";
import { replaceJson } from "../workspace/fs/replace-json.ts";
import { sessionDir } from "../workspace/layers/record.ts";
import { type ApprovalAnswer, type ApprovalRequest, type Approve, adviceFor } from "./approve.ts";
import { checkRemember, type RememberFor } from "./remembered.ts";

/** A question that waits for an answer. */
export interface Question {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly paths: readonly string[];
  /** SHA-256 of the canonical arguments: an answer names the digest that the person saw. */
  readonly digest: string;
  readonly reason: string;
  /** The rule, trust level or list that asks. */
  readonly rule: string;
  /** Who asks: the agent's id, and where it works. */
  readonly agentId: string | null;
  readonly session: string | null;
  readonly project: string;
  /** The diff of a write; null if the call has none. */
  readonly preview: string | null;
  /** For how long a yes can hold, beside this call. */
  readonly rememberFor: readonly RememberFor[];
  /** The rule that allows this call and as little else as a rule can: a yes may save it. */
  readonly allowRule: string | null;
  /** ISO 8601. */
  readonly asked: string;
}

export type GivenAnswer = Exclude<ApprovalAnswer, boolean> & { readonly digest: string };

export interface DeskOptions {
  readonly stateDir: string;
  /**
   * Someone who is asked at once, such as a person in this terminal. While there is one, a question has no time limit.
   * @default nobody: a question expires after 30 seconds
   */
  readonly client?: Approve;
}

const DESK_OPTIONS: Readonly<Record<keyof DeskOptions, Schema>> = {
  stateDir: { type: "string", minLength: 1 },
  client: {},
};

function checkDeskOptions(options: DeskOptions): void {
  const schema = { type: "object", required: ["stateDir"], properties: DESK_OPTIONS } as const;
  const fault = findFault(options, schema);
  if (fault) throw wrongDesk(`${formatKey(fault.path) || "the argument"} ${fault.problem}`);
  const { client } = options;
  if (client !== undefined && typeof client !== "function")
    throw wrongDesk(`client is ${quote(client)}; allowed is a function`);
}

function wrongDesk(problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not create the desk: ${problem}.`);
}

/** For `onAsk` of `openCell`: puts each question on the desk and waits for the first answer. */
export function createDesk(options: DeskOptions): Approve {
  checkDeskOptions(options);
  const { stateDir, client } = options;
  const waiting = new Set<string>();
  return async (request, signal) => {
    const question = toQuestion(request);
    const call = callKey(question);
    if (waiting.has(call)) return { approved: false, reason: asksAlready(question) };
    waiting.add(call);
    const place = placeOf(stateDir, question.id);
    const over = new AbortController();
    try {
      fs.mkdirSync(path.dirname(place.question), { recursive: true, mode: 0o700 });
      replaceJson(place.question, question);
      removeEarlier(stateDir, question);
      const ending = AbortSignal.any([signal, over.signal]);
      const asked = client === undefined ? expire(request, ending) : askClient(client, request, ending);
      const answer = await Promise.race([asked, waitForAnswer(place.answer, question, ending)]);
      // Another answer may have been the first.
      return keepAnswer(place.answer, answer) ? answer : (readAnswer(place.answer) ?? answer);
    } finally {
      over.abort();
      waiting.delete(call);
      // A process that stops or is killed leaves both: the run that is resumed asks the same question, and finds its answer.
      if (!isSuspended(signal))
        for (const file of [place.question, place.answer]) fs.rmSync(file, { force: true });
    }
  };
}

/** One call may ask several questions, such as about two hosts: their digests differ. */
function callKey({ project, session, callId, digest }: Question): string {
  return JSON.stringify([project, session, callId, digest]);
}

/** One answer would count for one of the two calls, and the other would wait for ever. */
function asksAlready({ callId }: Question): string {
  return `the same call with the id ${quote(callId)} waits for an answer already. Answer its question, or call with another id`;
}

async function askClient(
  client: Approve,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<GivenAnswer> {
  const answer = await client(request, signal);
  const { digest } = request;
  return typeof answer === "boolean" ? { approved: answer, digest } : { digest, ...answer };
}

/**
 * Removes the questions of killed runs that nobody can answer any more: the same call, asked now about another version of
 * the file, and calls of sessions that are gone.
 */
function removeEarlier(stateDir: string, question: Question): void {
  const isSameCall = (one: Question) => callKey(one) === callKey(question);
  const isOver = (one: Question) =>
    !isOfSession(one, stateDir) || (isSameCall(one) && one.id !== question.id);
  for (const earlier of readQuestions(stateDir).filter(isOver)) {
    const place = placeOf(stateDir, earlier.id);
    for (const file of [place.question, place.answer]) fs.rmSync(file, { force: true });
  }
}

function isOfSession({ session }: Question, stateDir: string): boolean {
  return session === null || fs.existsSync(sessionDir(stateDir, session));
}

/** All questions that wait, oldest first. One that is answered waits no longer, also if its process was killed. */
export function listQuestions(stateDir: string): Question[] {
  return readQuestions(stateDir)
    .filter((question) => isOfSession(question, stateDir))
    .filter(({ id }) => !fs.existsSync(placeOf(stateDir, id).answer))
    .sort((a, b) => a.asked.localeCompare(b.asked));
}

/** Also one that was answered just now. */
export function findQuestion(stateDir: string, id: string): Question | undefined {
  return readQuestions(stateDir).find((one) => one.id === id && isOfSession(one, stateDir));
}

function readQuestions(stateDir: string): Question[] {
  const dir = path.join(stateDir, DIRECTORY);
  const names = fs.existsSync(dir) ? fs.readdirSync(dir) : [];
  return names
    .filter((name) => /^[0-9a-f]{12}\.json$/.test(name))
    .flatMap((name) => readQuestion(path.join(dir, name)));
}

/**
 * Answers a question. Throws NOT_FOUND if it does not wait, PRECONDITION_FAILED if it was answered or is another one,
 * INVALID_ARGUMENTS or POLICY_INVALID if a yes can't be remembered so: then the question still waits.
 */
export function answerQuestion(stateDir: string, id: string, answer: GivenAnswer): void {
  const question = findQuestion(stateDir, id);
  if (question === undefined)
    throw new HotcellError("NOT_FOUND", `There is no question ${quote(id)}. See hotcell approvals.`);
  if (answer.digest !== question.digest)
    throw new HotcellError(
      "PRECONDITION_FAILED",
      `Could not answer ${quote(id)}: it asks about other arguments.`,
    );
  if (answer.approved && answer.remember !== undefined) checkRemember(answer.remember, question);
  const place = placeOf(stateDir, id);
  const isFirst = keepAnswer(place.answer, answer);
  if (isFirst && (fs.existsSync(place.question) || !withdraw(place.answer))) return;
  throw new HotcellError(
    "PRECONDITION_FAILED",
    `Could not answer ${quote(id)}: somebody has answered it already.`,
  );
}

/** False if there is an answer already. */
function keepAnswer(file: string, answer: GivenAnswer): boolean {
  const written = `${file}.${process.pid}`;
  fs.writeFileSync(written, JSON.stringify(answer), { mode: 0o600 });
  try {
    fs.linkSync(written, file);
    return true;
  } catch (error) {
    if (osErrorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    fs.rmSync(written);
  }
}

/** Takes back an answer to a question that is gone. False if the answer is gone, too: then the question took it. */
function withdraw(answer: string): boolean {
  try {
    fs.unlinkSync(answer);
    return true;
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

const DIRECTORY = "approvals";
const ID_CHARS = 12;
const LOOK_EVERY_MS = 100;

const placeOf = (stateDir: string, id: string) => ({
  question: path.join(stateDir, DIRECTORY, `${id}.json`),
  answer: path.join(stateDir, DIRECTORY, `${id}.answer`),
});

/**
 * The same call has the same id after a restart, unless what was shown of it has changed. Clients choose the ids of their
 * calls: those of two sessions may be the same.
 */
export function toQuestion({ verdict, ...request }: ApprovalRequest): Question {
  const { project, session, callId, digest, preview } = request;
  const shown = JSON.stringify([project, session, callId, digest, preview]);
  const id = hash("sha256", shown, "hex").slice(0, ID_CHARS);
  return { id, ...request, reason: verdict.reason, rule: verdict.rule.text, asked: new Date().toISOString() };
}

async function waitForAnswer(file: string, { digest }: Question, signal: AbortSignal): Promise<GivenAnswer> {
  for (;;) {
    const answer = readAnswer(file);
    if (answer !== null && answer.digest === digest) return answer;
    await setTimeout(LOOK_EVERY_MS, null, { signal });
  }
}

async function expire(request: ApprovalRequest, signal: AbortSignal): Promise<GivenAnswer> {
  await setTimeout(LIMITS.approvalWaitMs, null, { signal });
  const reason = `nobody answered within ${LIMITS.approvalWaitMs / 1000} seconds${adviceFor(request)}`;
  return { approved: false, digest: request.digest, expired: true, reason };
}

/** Null while there is none, and for a file that is no answer. */
function readAnswer(file: string): GivenAnswer | null {
  const value = readJsonFile(file);
  if (!isJsonObject(value) || typeof value.approved !== "boolean" || typeof value.digest !== "string")
    return null;
  return value as unknown as GivenAnswer;
}

function readQuestion(file: string): Question[] {
  const value = readJsonFile(file);
  return isJsonObject(value) && typeof value.id === "string" ? [value as unknown as Question] : [];
}

function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError || osErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}
