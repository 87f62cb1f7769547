import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approve,
  adviceFor,
} from "../../approval/approve.ts";
import type { Question } from "../../approval/desk.ts";
import { type Remember, runOfCall } from "../../approval/remembered.ts";
import { inertJson } from "../../core/inert-json.ts";
import { makeVisible } from "../../core/quote.ts";
import type { Io } from "./io.ts";
import { paintDiff, wantsColour } from "./session/paint-diff.ts";

/** Without a terminal, hotcell denies the call and names the rule that would allow it. */
export const denyUnasked: Approve = (request) => ({
  approved: false,
  reason: `there is no terminal to ask in${adviceFor(request)}`,
});

export function askInTerminal(io: Io): Approve {
  return async (request, signal) => {
    const coloured = wantsColour(io, io.errIsTerminal);
    io.err(`${describeQuestion({ ...request, reason: request.verdict.reason }, coloured)}\n`);
    const offers = offersFor(request);
    const question = ["[y]es", ...offers.map(({ text }) => text), "[N]o and why"].join(", ");
    const typed = await io.ask(`Run it? ${question}: `, signal);
    return { ...readAnswer(typed.trim(), offers), digest: request.digest };
  };
}

/** A yes that holds for longer than this call, and the word that gives it. */
interface Offer {
  readonly word: string;
  readonly text: string;
  readonly remember: Remember;
}

/** The rule is shown here, before it is saved. */
function offersFor({ rememberFor, allowRule }: ApprovalRequest): Offer[] {
  const exact = rememberFor.map((kind) => ({
    word: kind,
    text: `yes for this [${kind[0]}]${kind.slice(1)}`,
    remember: { for: kind },
  }));
  if (allowRule === null || !rememberFor.includes("project")) return exact;
  const text = `[a]lways in this project by the rule ${makeVisible(allowRule)}`;
  return [...exact, { word: "always", text, remember: { for: "project", rule: allowRule } }];
}

/** Only "yes" and what is offered approve. Any other answer denies; text after "no" is the reason. */
function readAnswer(answer: string, offers: readonly Offer[]): Exclude<ApprovalAnswer, boolean> {
  if (isWord(answer, "yes")) return { approved: true };
  const offer = offers.find(({ word }) => isWord(answer, word));
  if (offer !== undefined) return { approved: true, remember: offer.remember };
  const reason = /^no?\b[\s,:]*(.+)$/i.exec(answer)?.[1];
  return { approved: false, ...(reason !== undefined && { reason: `the answer was no: ${reason}` }) };
}

/** The word, or its first letter. */
function isWord(typed: string, word: string): boolean {
  return [word, word[0]].includes(typed.toLowerCase());
}

type Shown = Omit<Question, "id" | "rule" | "rememberFor" | "allowRule" | "asked">;

/** The facts that decide are printed last, right above the question: text of a model cannot scroll them away. */
export function describeQuestion(question: Shown, coloured = false): string {
  const { tool, arguments: args, paths, digest, reason, agentId, preview } = question;
  const asker = agentId === null ? "" : ` for ${makeVisible(agentId)}`;
  const subject = [tool, ...paths].join(" ");
  const shown = (preview === null ? inertJson(args, 2) : paintDiff(preview, false)).split("\n");
  const more = shown.length - MAX_LINES;
  const head = shown.slice(0, MAX_LINES).map(cutLine).join("\n");
  return [
    `${makeVisible(tool)} asks for approval${asker}. ${makeVisible(reason)}`,
    paintDiff(head, coloured && preview?.startsWith("--- ") === true),
    ...(more > 0 ? [`… ${more} more lines, the last: ${cutLine(shown.at(-1)!)}`] : []),
    ...oddCharacters(JSON.stringify(args)),
    `arguments sha256 ${digest.slice(0, 16)}`,
    originText(question),
    `>>> ${makeVisible(subject)}`,
  ].join("\n");
}

/** Where the call comes from: several agents may ask for the same. */
function originText({ callId, project, session }: Shown): string {
  const run = runOfCall(callId);
  const place = session === null ? [] : [`session ${session}`];
  return [`project ${makeVisible(project)}`, ...place, ...(run === null ? [] : [`run ${run}`])].join(", ");
}

const MAX_LINES = 40;
const MAX_COLUMNS = 200;
const TAIL_COLUMNS = 60;

/** Both ends of a long line, so that the end of the line is visible too. */
function cutLine(line: string): string {
  if (line.length <= MAX_COLUMNS) return line;
  const head = line.slice(0, MAX_COLUMNS - TAIL_COLUMNS);
  return `${head}… (${line.length} characters) …${line.slice(-TAIL_COLUMNS)}`;
}

/** Letters that look like others are named by their code points. */
function oddCharacters(text: string): string[] {
  const odd = [...new Set(text.match(/[^\x00-\x7f]/gu) ?? [])].slice(0, 10);
  const named = odd.map((char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);
  return named.length === 0 ? [] : [`characters beyond ASCII: ${named.join(" ")}`];
}
