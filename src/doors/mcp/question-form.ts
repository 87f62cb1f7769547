// A question for approval as an MCP elicitation: a form that the client shows to its user.
import { type InputRequest, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import type { ApprovalAnswer, ApprovalRequest } from "../../approval/approve.ts";
import { describeQuestion } from "../cli/approve.ts";

/** The key of the question in a result, and of the answer in the next request. */
export const QUESTION_KEY = "approval";

export function createQuestionForm(request: ApprovalRequest): InputRequest {
  return inputRequired.elicit({
    message: describeQuestion({ ...request, reason: request.verdict.reason }),
    requestedSchema: {
      type: "object",
      properties: {
        answer: {
          type: "string",
          title: "Run it?",
          oneOf: [
            { const: "once", title: "Yes, once" },
            ...(request.rememberFor.includes("session")
              ? [{ const: "session", title: "Yes, and for the same call in this session" }]
              : []),
            { const: "no", title: "No" },
          ],
        },
      },
      required: ["answer"],
    },
  });
}

/** Everything but a yes is a no. */
export function readQuestionForm(
  responses: Record<string, unknown> | undefined,
  request: Pick<ApprovalRequest, "digest">,
): ApprovalAnswer {
  const response = inputResponse(responses, QUESTION_KEY);
  if (response.kind !== "elicit") return { approved: false, reason: "the MCP client gave no answer" };
  const answer = response.action === "accept" ? response.content?.answer : "no";
  return {
    approved: answer === "once" || answer === "session",
    digest: request.digest,
    ...(answer === "session" && { remember: { for: "session" } }),
  };
}
