import { openRemembered } from "../../../approval/remembered.ts";
import { openPreview } from "../../../call/tools-and-policy.ts";
import { HotcellError } from "../../../core/errors.ts";
import type { JsonObject } from "../../../core/json.ts";
import { quote } from "../../../core/quote.ts";
import { readRecord, sessionDir } from "../../../workspace/layers/record.ts";
import { sessionIds } from "../../../workspace/layers/unreferenced-layers.ts";
import type { ApiParts } from "../api-parts.ts";
import type { Route } from "../route.ts";
import { given, gives, listOf, oneOf, orNull, text } from "../schemas.ts";

const rule = gives({ text, source: text });
const remembered = gives({
  id: text,
  for: oneOf("run", "session", "project"),
  of: text,
  tool: text,
  digest: orNull(text),
  rule: orNull(text),
  created: text,
});

export function policyRoutes({ cellOptions, store, project }: ApiParts): Route[] {
  const answers = openRemembered(store.stateDir);
  const isHere = (id: string) =>
    sessionIds(store.stateDir).includes(id) &&
    readRecord(sessionDir(store.stateDir, id)).workspace === project;
  /** The answers for runs of all projects are in one list; a run's own answers end with it. */
  const own = () =>
    answers.list().filter(({ for: kind, of }) => kind === "run" || of === project || isHere(of));
  return [
    {
      method: "GET",
      path: "/api/policy",
      summary: "The trust level, the rules, and the answers that hotcell remembers",
      answer: gives({ trust: text, approve: text, rules: listOf(rule), remembered: listOf(remembered) }),
      handle: async () => ({
        trust: cellOptions.trust ?? "guided",
        approve: cellOptions.approve ?? "effects",
        rules: (cellOptions.rules ?? []).map((one) =>
          typeof one === "string" ? { text: one, source: "options" } : one,
        ),
        remembered: own(),
      }),
    },
    {
      method: "POST",
      path: "/api/policy/explain",
      summary: "What would be decided of a call, and by which rule. Runs nothing",
      body: given({ name: text, arguments: { type: "object" } }, ["name"]),
      answer: gives({ decision: oneOf("allow", "ask", "deny"), rule, reason: text }),
      async handle({ body }) {
        const { name, arguments: args = {} } = body as {
          readonly name: string;
          readonly arguments?: JsonObject;
        };
        const preview = await openPreview(cellOptions);
        try {
          return preview.explain(name, args);
        } finally {
          preview.close();
        }
      },
    },
    {
      method: "DELETE",
      path: "/api/policy/remembered/{answer}",
      summary: "Forget a remembered answer",
      answer: gives({ id: text }),
      async handle({ params }) {
        const id = params.answer!;
        if (!own().some((one) => one.id === id))
          throw new HotcellError("NOT_FOUND", `There is no remembered answer ${quote(id)}.`);
        answers.revoke(id);
        return { id };
      },
    },
  ];
}
