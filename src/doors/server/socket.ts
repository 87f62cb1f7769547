// One client on the WebSocket: takes its frames, and sends it the runs that it follows and what happens beside them.
// Disconnecting cancels nothing. A client that does not read what it is sent is dropped.
import { WebSocket } from "ws";
import { readRunEvents } from "../../agent/run-log.ts";
import type { GivenAnswer, Question } from "../../approval/desk.ts";
import { type ErrorCode, HotcellError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { parseJson } from "../../core/parse-json.ts";
import { quote } from "../../core/quote.ts";
import { compileSchema } from "../../tools/compile-schemas.ts";
import { describeProblem } from "../../tools/describe-problem.ts";
import type { ApiParts } from "./api-parts.ts";
import { ANSWER } from "./routes/approval-routes.ts";
import { SAID, type Said, toMessages } from "./routes/run-routes.ts";
import { given, text } from "./schemas.ts";

interface FrameKind {
  readonly schema: JsonObject;
  readonly take: (frame: never, client: Client) => void | Promise<void>;
}

/** What the handlers of frames see of their client. */
interface Client {
  readonly parts: ApiParts;
  readonly followed: ReadonlyMap<string, unknown>;
  /** Throws UNAVAILABLE if the socket can follow no more runs than it does. */
  refuseIfFull(run?: string): void;
  /** Sends the run's frames after this number. */
  follow(run: string, file: string, after: number): void;
}

const frame = (properties: JsonObject, required: readonly string[]) =>
  given({ type: text, ...properties }, ["type", ...required]);

interface SendFrame extends Said {
  readonly conversationId?: string;
  readonly sessionId?: string;
}

const FRAMES: ReadonlyMap<string, FrameKind> = new Map<string, FrameKind>([
  [
    "chat:send",
    {
      schema: frame({ ...SAID, conversationId: text, sessionId: text }, ["content"]),
      take: takeMessage,
    },
  ],
  [
    "chat:cancel",
    {
      schema: frame({ conversationId: text }, ["conversationId"]),
      take({ conversationId: run }: { readonly conversationId: string }, { parts, followed }) {
        if (!followed.has(run)) throw notFollowed(run);
        parts.runs.cancel(run);
      },
    },
  ],
  [
    "chat:resume",
    {
      schema: frame({ conversationId: text, resumeFrom: { type: "integer", minimum: 0 } }, [
        "conversationId",
        "resumeFrom",
      ]),
      take(
        { conversationId, resumeFrom }: { readonly conversationId: string; readonly resumeFrom: number },
        client,
      ) {
        const { run, file } = client.parts.runs.find(conversationId);
        client.follow(run, file, resumeFrom);
      },
    },
  ],
  [
    "chat:tool-approve",
    {
      schema: frame({ ...ANSWER, toolId: text, questionId: text, conversationId: text }, [
        "toolId",
        "approved",
        "digest",
      ]),
      take({ toolId, questionId, type: _, conversationId: __, ...answer }: ApproveFrame, { parts }) {
        const question = findQuestion({ toolId, questionId, digest: answer.digest }, parts);
        parts.answer(question.id, answer);
      },
    },
  ],
]);

interface ApproveFrame extends GivenAnswer {
  readonly type: string;
  readonly toolId: string;
  readonly questionId?: string;
  readonly conversationId?: string;
}

/** Clients choose the ids of their calls: those of two sessions may be the same, with the same arguments. */
function findQuestion(
  {
    toolId,
    questionId,
    digest,
  }: Pick<ApproveFrame, "toolId" | "digest"> & { questionId: string | undefined },
  { questions }: ApiParts,
): Question {
  const isMeant = ({ id, callId }: Question) =>
    callId === toolId && (questionId === undefined || id === questionId);
  const ofCall = questions.list().filter(isMeant);
  const shown = ofCall.filter((question) => question.digest === digest);
  if (shown.length > 1)
    throw new HotcellError(
      "INVALID_ARGUMENTS",
      `Could not take the answer: ${shown.length} questions about a call ${quote(toolId)} wait, with the same arguments. Name one by questionId: its id in approval:asked.`,
    );
  const question = shown[0] ?? ofCall[0];
  if (question !== undefined) return question;
  throw new HotcellError("NOT_FOUND", `There is no question about the call ${quote(toolId)}.`);
}

/** Starts a run or continues one, and follows it. */
async function takeMessage(
  { conversationId, sessionId, ...said }: SendFrame,
  { parts, followed, follow, refuseIfFull }: Client,
): Promise<void> {
  const { runs, questions } = parts;
  questions.refuseIfFull();
  // A run whose events do not arrive would spend money that nobody sees.
  refuseIfFull(conversationId);
  if (conversationId === undefined) {
    const { run } = await runs.start(toMessages(said), sessionId);
    return follow(run, runs.find(run).file, 0);
  }
  if (said.history !== undefined || sessionId !== undefined)
    throw new HotcellError("INVALID_ARGUMENTS", "A run that continues has its history and session already.");
  const { file, run } = runs.find(conversationId);
  const after = readRunEvents(file).at(-1)?.seq ?? 0;
  await runs.resume(run, toMessages(said));
  if (!followed.has(run)) follow(run, file, after);
}

function notFollowed(run: string): HotcellError {
  return new HotcellError(
    "DENIED",
    `Could not cancel ${quote(run)}: this socket does not follow that run. Send chat:resume first.`,
  );
}

/** Throws INVALID_ARGUMENTS for what no client may send. */
export type FrameCheck = (value: unknown) => FrameKind;

export function createFrameCheck(): FrameCheck {
  const checks = new Map([...FRAMES].map(([type, kind]) => [type, compileSchema(kind.schema)]));
  return (value) => {
    const type = isJsonObject(value) ? value.type : undefined;
    const kind = typeof type === "string" ? FRAMES.get(type) : undefined;
    if (kind === undefined)
      throw wrongFrame(`its type is ${quote(type)}; clients send ${[...FRAMES.keys()].join(", ")}`);
    const check = checks.get(type as string)!;
    if (check(value)) return kind;
    const problem = describeProblem(check.errors![0]!, kind.schema, value as JsonObject);
    throw wrongFrame(problem.replace(/^arguments/, "frame"));
  };
}

function wrongFrame(problem: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not take the frame: ${problem}.`);
}

/** Serves a socket until it closes. */
export function serveSocket(socket: WebSocket, parts: ApiParts, checkFrame: FrameCheck): void {
  const left = new AbortController();
  const followed = new Map<string, AbortController>();
  const rate = createRate(LIMITS.server.maxFramesPerSecond);
  const leave = parts.presence.enter();
  const stopListening = parts.events.listen((event) => push(socket, JSON.stringify(event)));
  const beat = keepAlive(socket);
  const refuseIfFull = (run = "") => {
    if (followed.size >= LIMITS.server.maxFollowed && !followed.has(run)) throw tooManyFollowed();
  };
  const client: Client = {
    parts,
    followed,
    refuseIfFull,
    follow(run, file, after) {
      refuseIfFull(run);
      followed.get(run)?.abort();
      const one = new AbortController();
      followed.set(run, one);
      const signal = AbortSignal.any([one.signal, left.signal]);
      void sendAll(socket, parts.feed.follow(run, file, after, { stays: true, signal }));
    },
  };
  socket.on("message", (data, isBinary) => {
    if (isBinary) return socket.close(1003, "text only");
    if (!rate()) return socket.close(1008, "too many frames");
    const take = async () => {
      const value = parseJson(String(data), {
        maxBytes: LIMITS.server.maxBodyBytes,
        maxDepth: LIMITS.maxCallDepth,
      });
      await checkFrame(value).take(value as never, client);
    };
    take().catch((error: unknown) => push(socket, JSON.stringify(toError(error, parts))));
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    clearInterval(beat);
    stopListening();
    leave();
    left.abort();
  });
}

function toError(error: unknown, { onError }: ApiParts): object {
  if (error instanceof HotcellError) return { type: "chat:error", code: error.code, message: error.message };
  onError(error);
  const code: ErrorCode = "INTERNAL_ERROR";
  return { type: "chat:error", code, message: "Could not take the frame: hotcell has a bug." };
}

/** One frame after the other: what is not sent yet stays in the log. */
async function sendAll(socket: WebSocket, frames: AsyncIterable<{ readonly text: string }>): Promise<void> {
  for await (const { text: data } of frames) {
    if (socket.readyState !== WebSocket.OPEN) return;
    await sendInTime(socket, data);
  }
}

function sendInTime(socket: WebSocket, data: string): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), LIMITS.http.unsentMs);
    socket.send(data, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** For what is in no log: a client that does not read it is dropped. */
function push(socket: WebSocket, data: string): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  if (socket.bufferedAmount > LIMITS.server.maxUnsentBytes) socket.terminate();
  else socket.send(data, () => {});
}

/** Drops a client that is gone without a word. */
function keepAlive(socket: WebSocket): NodeJS.Timeout {
  let isAlive = true;
  socket.on("pong", () => {
    isAlive = true;
  });
  return setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, LIMITS.server.pingEveryMs).unref();
}

/** False once there are more than so many in a second. */
function createRate(most: number): () => boolean {
  let second = 0;
  let count = 0;
  return () => {
    const now = Math.floor(performance.now() / 1000);
    count = now === second ? count + 1 : 1;
    second = now;
    return count <= most;
  };
}

function tooManyFollowed(): HotcellError {
  return new HotcellError(
    "UNAVAILABLE",
    `Could not follow the run: a socket follows at most ${LIMITS.server.maxFollowed} runs. Connect again, or use another socket.`,
  );
}
