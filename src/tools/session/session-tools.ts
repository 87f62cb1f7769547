// The toolset `session`: tools for the session as a whole. They run outside its calls: each takes the session's own lock.
import { HotcellError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Conflict } from "../../workspace/commit/plan/plan.ts";
import { statText, unifiedText } from "../../workspace/diff/render.ts";
import { showName } from "../../workspace/fs/names.ts";
import { CONFLICT_POLICIES, type SessionCommitOptions } from "../../workspace/session/commit-options.ts";
import type {
  SessionCommitArguments,
  SessionCommitOutput,
  SessionDiffArguments,
  SessionDiscardArguments,
  SessionRewindArguments,
} from "../builtin-types.ts";
import { defineTool, type Tool } from "../define-tool.ts";
import {
  SESSION_COMMIT_OUTPUT,
  SESSION_CREATE_OUTPUT,
  SESSION_DIFF_OUTPUT,
  SESSION_DISCARD_OUTPUT,
  SESSION_REWIND_OUTPUT,
} from "../output/output-schemas.ts";
import { describePlan } from "./describe-plan.ts";

const common = { toolset: "session", category: "file", needs: ["session"], keepsTime: true } as const;

const PATHS = {
  type: "array",
  items: { type: "string" },
  minItems: 1,
  description: "Paths in the project, each with everything below it. Default: everything",
} as const;

const create = defineTool({
  ...common,
  name: "session_create",
  description: "Create another session of this project, without changes. Returns its id.",
  input: { type: "object", properties: {}, additionalProperties: false },
  outputSchema: SESSION_CREATE_OUTPUT,
  danger: "safe",
  effect: "session",
  run: async (_args, { session }) => ({ session: await session.create() }),
});

export const sessionCreate: Tool = { ...create, isAdditive: true };

export const sessionDiff = defineTool({
  ...common,
  name: "session_diff",
  description:
    "Show what this session changed in the project and has not committed: a list of the changes, and a unified diff.",
  input: {
    type: "object",
    properties: {
      call: {
        type: "string",
        description: "Only the changes of this call: its id, or #3 for the third call",
      },
    },
    additionalProperties: false,
  },
  outputSchema: SESSION_DIFF_OUTPUT,
  needs: ["session", "limits"],
  danger: "safe",
  effect: "read",
  run: ({ call }: SessionDiffArguments, { session, limits }, signal) =>
    session.diff(
      ({ shown, ignored }) => {
        const diff = unifiedText(shown);
        const cut = cutAtLine(diff, limits.observationBytes);
        return {
          changes: shown.length,
          ignored,
          stat: statText(shown),
          diff: cut,
          truncated: cut.length < diff.length,
        };
      },
      { call },
      signal,
    ),
});

const commit = defineTool({
  ...common,
  name: "session_commit",
  description:
    "Write the changes of this session to the project itself. A person sees the plan and has to approve it. Files that execute automatically, such as git hooks, and secrets are left out.",
  input: {
    type: "object",
    properties: {
      paths: PATHS,
      on_conflict: {
        enum: CONFLICT_POLICIES,
        description:
          "If the project changed at the same path: abort commits nothing, skip commits the rest, ours takes the session's version, theirs keeps the project's, merge merges by line. Default: abort",
      },
    },
    additionalProperties: false,
  },
  outputSchema: SESSION_COMMIT_OUTPUT,
  danger: "dangerous",
  effect: "session",
  async run(args: SessionCommitArguments, { session }, signal) {
    const { tx, committed, skipped, conflicts } = await session.commit(commitOptions(args), {}, signal);
    const output: SessionCommitOutput = {
      tx,
      committed: committed.map(showName),
      skipped: skipped.map(({ path, why }) => ({ path: showName(path), why })),
      conflicts: conflicts.map(({ path, reason }) => ({ path: showName(path), reason })),
    };
    if (conflicts.some(({ resolution }) => resolution === "none")) throw conflicting(conflicts, output);
    return output;
  },
});

/** The person who is asked sees the plan, and their yes holds for exactly this plan. */
export const sessionCommit: Tool = {
  ...commit,
  async previewSession(args, session, signal) {
    const plan = await session.plan(commitOptions(args as SessionCommitArguments), signal);
    const text = await session.diff(({ shown }) => describePlan(plan, shown), {}, signal);
    return { text, version: plan.hash };
  },
};

export const sessionDiscard = defineTool({
  ...common,
  name: "session_discard",
  description:
    "Discard changes of this session: at some paths, or all of them, which cannot be undone. The project does not change.",
  input: { type: "object", properties: { paths: PATHS }, additionalProperties: false },
  outputSchema: SESSION_DISCARD_OUTPUT,
  danger: "safe",
  effect: "session",
  async run({ paths }: SessionDiscardArguments, { session }, signal) {
    await session.discard(paths, signal);
    return { changes: await countChanges(session, signal) };
  },
});

export const sessionRewind = defineTool({
  ...common,
  name: "session_rewind",
  description: "Return this session to its state before a call. Commits stay in the project.",
  input: {
    type: "object",
    properties: {
      to: { type: "string", description: "The call: its id, or #3 for the third call that has changes" },
      paths: PATHS,
    },
    required: ["to"],
    additionalProperties: false,
  },
  outputSchema: SESSION_REWIND_OUTPUT,
  danger: "safe",
  effect: "session",
  async run({ to, paths }: SessionRewindArguments, { session }, signal) {
    const { commits } = await session.rewind(to, paths, signal);
    return { changes: await countChanges(session, signal), commits };
  },
});

type Diffs = Pick<Parameters<typeof commit.run>[1]["session"], "diff">;

function countChanges({ diff }: Diffs, signal: AbortSignal): Promise<number> {
  return diff(({ shown }) => shown.length, {}, signal);
}

function commitOptions({ paths, on_conflict }: SessionCommitArguments): SessionCommitOptions {
  return {
    selection: paths === undefined ? "all" : { paths, hunks: [] },
    ...(on_conflict !== undefined && { onConflict: on_conflict }),
  };
}

function conflicting(conflicts: readonly Conflict[], output: JsonObject): HotcellError {
  const paths = conflicts.map(({ path, reason }) => `${showName(path)} (${reason})`).join(", ");
  return new HotcellError(
    "PRECONDITION_FAILED",
    `Nothing was committed: there are conflicts at ${paths}. Change the files, or choose another on_conflict.`,
    {},
    { output },
  );
}

function cutAtLine(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  return text.slice(0, bytes.subarray(0, maxBytes).toString().lastIndexOf("\n") + 1);
}
