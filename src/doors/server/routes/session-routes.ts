// Sessions: list, review, commit, rewind. What a person does here is recorded in the session's log, and not asked again.
import type { Cell } from "../../../cell.ts";
import type { JsonObject } from "../../../core/json.ts";
import { readRecord, sessionDir } from "../../../workspace/layers/record.ts";
import { CONFLICT_POLICIES } from "../../../workspace/session/commit-options.ts";
import { listSessions, showSession } from "../../../workspace/session/registry/list-sessions.ts";
import { withDiff } from "../../../workspace/session/session-diff.ts";
import { callName, diffAsJson } from "../../cli/session/session-diff.ts";
import { readPaths } from "../../cli/session/session-paths.ts";
import type { ApiParts } from "../api-parts.ts";
import type { ApiRequest, Route } from "../route.ts";
import { flag, given, gives, listOf, oneOf, paths, text } from "../schemas.ts";
import { committed, details, diff, left, madeSession, plan, summary } from "./session-schemas.ts";

export function sessionRoutes(parts: ApiParts): Route[] {
  const { cells, store, project } = parts;
  const made = (id: string) => {
    const { workspace, strategy } = readRecord(sessionDir(store.stateDir, id));
    return { id, workspace, strategy };
  };
  return [
    {
      method: "GET",
      path: "/api/sessions",
      summary: "The sessions of the project, oldest first",
      answer: gives({ sessions: listOf(summary) }),
      handle: async () => ({ sessions: await listSessions(store, project) }),
    },
    {
      method: "POST",
      path: "/api/sessions",
      summary: "Create a session",
      body: given({ name: text }),
      answer: madeSession,
      async handle({ body }) {
        const { name } = body as { readonly name?: string };
        return made(await cells.create(name));
      },
    },
    {
      method: "GET",
      path: "/api/sessions/{session}",
      summary: "One session with its calls and commits",
      answer: details,
      handle: async ({ params }) => showSession(await cells.find(params.session!), store),
    },
    {
      method: "GET",
      path: "/api/sessions/{session}/diff",
      summary: "What the session changed, or one of its calls. Needs no lock",
      query: { call: text, all: oneOf("true", "false") },
      answer: diff,
      async handle({ params, query, signal }) {
        const id = await cells.find(params.session!);
        const call = query.call === undefined ? {} : { call: callName(query.call) };
        const options = { ...store, ...call, all: query.all === "true", signal };
        return withDiff(id, options, (found) => diffAsJson(id, found));
      },
    },
    ...commandRoutes(parts),
    {
      method: "POST",
      path: "/api/sessions/{session}/fork",
      summary: "Create another session with the same changes",
      body: given({}),
      answer: madeSession,
      handle: async ({ params, signal }) => made(await cells.fork(await cells.find(params.session!), signal)),
    },
  ];
}

const SELECTION = { paths, hunks: paths, onConflict: oneOf(...CONFLICT_POLICIES), allowProtected: flag };

interface SelectionBody {
  readonly paths?: readonly string[];
  readonly hunks?: readonly string[];
}

function commandRoutes(parts: ApiParts): Route[] {
  const at = (name: string) => `/api/sessions/{session}/${name}`;
  return [
    {
      method: "POST",
      path: at("plan"),
      summary: "What a commit would do, with the hash that the commit needs. Changes nothing",
      body: given(SELECTION),
      answer: plan,
      async handle({ params, body, signal }) {
        const id = await parts.cells.find(params.session!);
        const chosen = await readSelection(parts, id, body);
        return parts.cells.use(id, (cell) => cell.plan({ ...chosen, signal }));
      },
    },
    {
      method: "POST",
      path: at("commit"),
      summary: "Write changes to the project, exactly as planned: refused if the plan has changed since",
      body: given({ ...SELECTION, plan: text }, ["plan"]),
      answer: committed,
      handle: (request) =>
        change(parts, request, async (cell, id) => {
          const { plan: planHash, ...body } = request.body as SelectionBody & { readonly plan: string };
          const chosen = await readSelection(parts, id, body);
          return { session: id, ...(await cell.commit({ ...chosen, planHash, signal: request.signal })) };
        }),
    },
    {
      method: "POST",
      path: at("discard"),
      summary: "Discard changes: at these paths, which can be undone, or without paths all, which cannot",
      body: given({ paths }),
      answer: left,
      handle: (request) =>
        change(parts, request, async (cell, id) => {
          await cell.discard(await readSelection(parts, id, request.body));
          return leftIn(cell);
        }),
    },
    {
      method: "POST",
      path: at("rewind"),
      summary: "Return to the state before a call: its id, or 3 for the third. Commits stay in the project",
      body: given({ to: text, paths }, ["to"]),
      answer: { ...left, properties: { ...(left.properties as JsonObject), commits: listOf(text) } },
      handle: (request) =>
        change(parts, request, async (cell, id) => {
          const { to, ...body } = request.body as { readonly to: string };
          const { commits } = await cell.rewind(callName(to), await readSelection(parts, id, body));
          return { ...(await leftIn(cell)), commits };
        }),
    },
    {
      method: "POST",
      path: at("undo-rewind"),
      summary: "Restore what the last rewind, or discard of paths, removed",
      body: given({}),
      answer: left,
      handle: (request) =>
        change(parts, request, async (cell) => {
          await cell.undoRewind();
          return leftIn(cell);
        }),
    },
    {
      method: "POST",
      path: at("revert"),
      summary: "Reverse a commit in the project: the last one, or the one with this number",
      body: given({ tx: text }),
      answer: gives({ session: text, reverted: listOf(text), changed: listOf(text) }),
      handle: (request) =>
        change(parts, request, async (cell, id) => {
          const { tx } = request.body as { readonly tx?: string };
          const { reverted, changed } = await cell.revert(tx);
          return { session: id, reverted, changed };
        }),
    },
  ];
}

/** Changes a session. The cell records what was done. */
async function change<T>(
  { cells }: ApiParts,
  { params }: ApiRequest,
  work: (cell: Cell, id: string) => Promise<T>,
): Promise<T> {
  const id = await cells.find(params.session!);
  return cells.use(id, (cell) => work(cell, id));
}

async function leftIn(cell: Cell) {
  return { session: cell.session, changes: (await cell.diff()).changes.length };
}

/** With paths as the diff has them: names that are not UTF-8 are shown with `\xff`. An empty list selects nothing. */
async function readSelection<Body extends SelectionBody>(
  { store, project }: ApiParts,
  id: string,
  body: unknown,
): Promise<Omit<Body, "paths"> & { readonly paths?: readonly string[] }> {
  const { paths: named, ...others } = body as Body;
  const session = {
    record: { workspace: project },
    diff: <T>(work: Parameters<typeof withDiff<T>>[2]) => withDiff(id, store, work),
  };
  const read = named?.length ? await readPaths(named, session) : named;
  return { ...others, ...(read !== undefined && { paths: read }) };
}
