import type { GivenAnswer } from "../../../approval/desk.ts";
import type { ApiParts } from "../api-parts.ts";
import type { Route } from "../route.ts";
import { flag, given, gives, listOf, oneOf, orNull, text } from "../schemas.ts";

const question = gives({
  id: text,
  callId: text,
  tool: text,
  arguments: { type: "object" },
  paths: listOf(text),
  digest: text,
  reason: text,
  rule: text,
  agentId: orNull(text),
  session: orNull(text),
  project: text,
  preview: orNull(text),
  rememberFor: listOf(text),
  allowRule: orNull(text),
  asked: text,
});

/** The properties of an answer, in a body and in a frame. */
export const ANSWER = {
  approved: flag,
  digest: text,
  remember: given({ for: oneOf("run", "session", "project"), rule: text }, ["for"]),
  reason: text,
};

export function approvalRoutes({ questions, presence, answer: give }: ApiParts): Route[] {
  return [
    {
      method: "GET",
      path: "/api/approvals",
      summary: "The questions that wait for an answer",
      answer: gives({ questions: listOf(question) }),
      always: true,
      async handle() {
        presence.notice();
        return { questions: questions.list() };
      },
    },
    {
      method: "POST",
      path: "/api/approvals/{question}",
      summary: "Answer a question. The digest says which arguments the person saw; the first answer counts",
      body: given(ANSWER, ["approved", "digest"]),
      answer: gives({ id: text, approved: flag }),
      always: true,
      async handle({ params, body }) {
        const answer = body as GivenAnswer;
        return { id: give(params.question!, answer), approved: answer.approved };
      },
    },
  ];
}
