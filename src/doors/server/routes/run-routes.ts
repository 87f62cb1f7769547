// Runs of the agent: list, start, follow, continue, cancel.
import { readRunEvents } from "../../../agent/run-log.ts";
import { readTranscript } from "../../../agent/transcript.ts";
import type { ModelMessage } from "../../../models/model.ts";
import type { ApiParts } from "../api-parts.ts";
import type { Route } from "../route.ts";
import { digits, flag, given, gives, listOf, oneOf, orNull, text } from "../schemas.ts";

const summary = gives({
  id: text,
  session: text,
  started: orNull(text),
  model: orNull(text),
  prompt: text,
  stop: orNull(text),
  state: oneOf("running", "waiting", "interrupted", "ended"),
});

const started = gives({ run: text, session: text });

/** What a client says: the roles of others are not taken from it. */
export const SAID = {
  content: { type: "string", minLength: 1 },
  history: listOf(given({ role: oneOf("user", "assistant"), content: text }, ["role", "content"])),
};

export interface Said {
  readonly content: string;
  readonly history?: readonly { readonly role: "user" | "assistant"; readonly content: string }[];
}

export function toMessages({ content, history = [] }: Said): ModelMessage[] {
  const earlier = history.map(
    ({ role, content: said }): ModelMessage =>
      role === "user" ? { role, content: said } : { role, content: said, calls: [] },
  );
  return [...earlier, { role: "user", content }];
}

export function runRoutes({ runs, feed, questions, presence }: ApiParts): Route[] {
  return [
    {
      method: "GET",
      path: "/api/runs",
      summary: "The runs of the project, the last changed last",
      answer: gives({ runs: listOf(summary) }),
      handle: async () => ({ runs: runs.list() }),
    },
    {
      method: "POST",
      path: "/api/runs",
      summary: "Start a run: in this session, or in a new one",
      body: given({ ...SAID, session: text }, ["content"]),
      answer: started,
      async handle({ body }) {
        const { session, ...said } = body as Said & { readonly session?: string };
        questions.refuseIfFull();
        return runs.start(toMessages(said), session);
      },
    },
    {
      method: "GET",
      path: "/api/runs/{run}",
      summary: "One run with its messages",
      answer: {
        ...gives({ messages: listOf({ type: "object" }), lastSeq: { type: "integer" } }),
        allOf: [summary],
      },
      async handle({ params }) {
        const file = runs.find(params.run!);
        const events = readRunEvents(file.file);
        const messages = readTranscript(events).map((message) => ({ ...message, native: undefined }));
        return { ...runs.describe(file), messages, lastSeq: events.at(-1)?.seq ?? 0 };
      },
    },
    {
      method: "GET",
      path: "/api/runs/{run}/events",
      summary:
        "The events of a run after this number, or that of the header Last-Event-ID, until the run ends",
      query: { from: digits },
      answer: "text/event-stream",
      async handle({ params, query, lastEventId, signal }) {
        const { run, file } = runs.find(params.run!);
        const leave = presence.enter();
        signal.addEventListener("abort", leave, { once: true });
        const after = Math.max(Number(query.from ?? 0), lastEventId);
        const frames = feed.follow(run, file, after, { stays: false, signal });
        return streamEvents(frames, leave);
      },
    },
    {
      method: "POST",
      path: "/api/runs/{run}/send",
      summary: "Continue a run with another message",
      body: given({ content: SAID.content }, ["content"]),
      answer: started,
      async handle({ params, body }) {
        questions.refuseIfFull();
        return runs.resume(params.run!, toMessages(body as Said));
      },
    },
    {
      method: "POST",
      path: "/api/runs/{run}/resume",
      summary: "Continue a run where it was interrupted",
      body: given({}),
      answer: started,
      async handle({ params }) {
        questions.refuseIfFull();
        return runs.resume(params.run!);
      },
    },
    {
      method: "POST",
      path: "/api/runs/{run}/cancel",
      summary: "Cancel a run. False if it does not go on in this server",
      body: given({}),
      answer: gives({ cancelled: flag }),
      always: true,
      handle: async ({ params }) => ({ cancelled: runs.cancel(runs.find(params.run!).run) }),
    },
  ];
}

/** The number of an event is its id: a browser sends it when it connects again. */
function streamEvents(
  frames: AsyncGenerator<{ readonly seq: number; readonly text: string }>,
  end: () => void,
): Response {
  const encoder = new TextEncoder();
  const stream = new ReadableStream({
    async pull(controller) {
      const { done, value } = await frames.next();
      if (!done) return controller.enqueue(encoder.encode(`id: ${value.seq}\ndata: ${value.text}\n\n`));
      end();
      controller.close();
    },
    async cancel() {
      end();
      await frames.return(undefined);
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}
