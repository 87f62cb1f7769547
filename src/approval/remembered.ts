// Answers that hold for longer than one call. They are a layer of their own in the state directory: they answer questions
// that hotcell asks by itself, and never beat a configured rule or the built-in deny list.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { HotcellError } from "../core/errors.ts";
import { withLock } from "../core/lock.ts";
import { quote } from "../core/quote.ts";
import type { RuleOrigin, Verdict } from "../core/types.ts";
import { type Judged, judge } from "../policy/judge.ts";
import { parseRule } from "../policy/rule.ts";
import { type KnownTool, NETWORK } from "../policy/tool-names.ts";
import { replaceJson } from "../workspace/fs/replace-json.ts";

export type RememberFor = "run" | "session" | "project";
export const REMEMBER_FOR: readonly RememberFor[] = ["run", "session", "project"];

/** For how long a yes holds, and for what. */
export interface Remember {
  readonly for: RememberFor;
  /** An allow rule. Without it the yes holds for exactly this call: the tool with these arguments. */
  readonly rule?: string;
}

/** Where a call comes from: what an answer can hold for. */
export interface CallOrigin {
  /** Null for a call that no agent run made. */
  readonly run: string | null;
  /** Null on the host. */
  readonly session: string | null;
  readonly project: string;
}

/** The agent run that made a call: its id begins the call's. */
export function runOfCall(callId: string): string | null {
  return /^(run_\w+)\./.exec(callId)?.[1] ?? null;
}

export interface RememberedAnswer {
  readonly id: string;
  readonly for: RememberFor;
  /** The id of the run or the session, or the project's path. */
  readonly of: string;
  readonly tool: string;
  /** Of the exact arguments; null if a rule says what is allowed. */
  readonly digest: string | null;
  readonly rule: string | null;
  /** ISO 8601. */
  readonly created: string;
}

export interface RememberedAnswers {
  list(): RememberedAnswer[];
  /** The verdict of a remembered answer on a call; null if none covers it. */
  find(call: Judged, digest: string, origin: CallOrigin): Verdict | null;
  add(tool: string, digest: string, remember: Remember, origin: CallOrigin): RememberedAnswer;
  /** Throws NOT_FOUND if there is no such answer. */
  revoke(id: string): void;
}

export function openRemembered(stateDir: string): RememberedAnswers {
  const file = path.join(stateDir, "remembered.json");
  const list = (): RememberedAnswer[] => readList(file);
  const change = (work: (answers: RememberedAnswer[]) => RememberedAnswer[]) =>
    withLock(`${file}.lock`, () => replaceJson(file, work(list())));
  return {
    list,
    find(call, digest, origin) {
      const found = list().find((answer) => holdsFor(answer, origin) && covers(answer, call, digest));
      return found === undefined ? null : verdictOf(found);
    },
    add(tool, digest, { for: kind, rule }, origin) {
      const of = origin[kind];
      if (of === null)
        throw new HotcellError("INVALID_ARGUMENTS", `Could not remember the answer: there is no ${kind}.`);
      const answer: RememberedAnswer = {
        id: randomUUID().slice(0, 8),
        for: kind,
        of,
        tool,
        digest: rule === undefined ? digest : null,
        rule: rule ?? null,
        created: new Date().toISOString(),
      };
      change((answers) => [...answers, answer]);
      return answer;
    },
    revoke(id) {
      if (!list().some((answer) => answer.id === id))
        throw new HotcellError(
          "NOT_FOUND",
          `There is no remembered answer ${quote(id)}. See hotcell policy list.`,
        );
      change((answers) => answers.filter((answer) => answer.id !== id));
    },
  };
}

function holdsFor({ for: kind, of }: RememberedAnswer, origin: CallOrigin): boolean {
  return origin[kind] === of;
}

function covers({ tool, digest, rule }: RememberedAnswer, call: Judged, given: string): boolean {
  if (tool !== call.tool) return false;
  if (rule === null) return digest === given;
  const parsed = parseRule(rule, SOURCE, [toKnown(call)]);
  return judge(call, { trust: "supervised", rules: [parsed] }).decision === "allow";
}

const SOURCE = { source: "remembered" } as const;

const toKnown = ({ tool, danger, subject = "none" }: Judged): KnownTool => ({ name: tool, danger, subject });

function verdictOf({ id, rule, tool, for: kind }: RememberedAnswer): Verdict {
  const origin: RuleOrigin = { text: rule ?? `allow ${tool} (this call)`, source: `remembered answer ${id}` };
  return {
    decision: "allow",
    rule: origin,
    reason: `A person allowed it for this ${kind} (remembered answer ${id}).`,
  };
}

/** Throws INVALID_ARGUMENTS or POLICY_INVALID if a yes to this question can't hold so. */
export function checkRemember(
  { for: kind, rule }: Remember,
  { tool, rememberFor }: { readonly tool: string; readonly rememberFor: readonly RememberFor[] },
): void {
  if (!rememberFor.includes(kind)) {
    const kinds = ["call", ...rememberFor].map((one) => `this ${one}`).join(" or ");
    const rest = typeof kind === "string" ? `, not for this ${kind}` : "; say in remember.for which";
    throw new HotcellError("INVALID_ARGUMENTS", `Such a yes holds for ${kinds}${rest}.`);
  }
  if (rule !== undefined) checkRule(rule, tool);
}

/** A rule that is saved allows something, of this tool alone. */
function checkRule(rule: string, tool: string): void {
  if (tool === NETWORK)
    throw new HotcellError(
      "INVALID_ARGUMENTS",
      `Could not remember ${quote(rule)}: such a yes holds for this host and port. Rules about the network belong in the configuration.`,
    );
  const { decision, tool: named } = parseRule(rule, SOURCE);
  if (decision !== "allow" || named !== tool)
    throw new HotcellError(
      "POLICY_INVALID",
      `Could not remember ${quote(rule)}: write allow ${tool}(PATTERN).`,
    );
}

function readList(file: string): RememberedAnswer[] {
  let text: string;
  try {
    text = fs.readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? (value as RememberedAnswer[]) : [];
}
