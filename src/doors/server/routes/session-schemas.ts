// JSON Schemas of sessions, diffs and commits, as the command line prints them with --json.
import { count, flag, gives, listOf, oneOf, orNull, text } from "../schemas.ts";

export const summary = gives({
  id: text,
  name: orNull(text),
  workspace: text,
  created: text,
  strategy: oneOf("kernel", "clone"),
  state: oneOf("idle", "open", "interrupted"),
  changes: orNull(count),
  gitData: orNull(count),
  ignored: orNull(count),
  bytes: count,
  artifactBytes: count,
});

export const details = gives({
  ...(summary.properties as typeof summary),
  database: orNull(text),
  layers: count,
  calls: listOf(gives({ id: text, tool: text, at: text, paths: count, gitData: count })),
  commits: listOf(gives({ tx: text, paths: listOf(text) })),
});

export const madeSession = gives({ id: text, workspace: text, strategy: text });

const change = gives(
  {
    path: text,
    kind: text,
    binary: flag,
    added: count,
    removed: count,
    hunks: listOf(gives({ id: text, header: text, lines: listOf(text) })),
    calls: listOf(text),
  },
  { from: text, unlisted: flag, secret: flag, leadsOutside: flag, contested: flag },
);

export const diff = gives({ session: text, changes: listOf(change), ignored: count });

const skipped = listOf(gives({ path: text }));
const conflicts = listOf(gives({ path: text, resolution: text }));

export const plan = gives({
  hash: text,
  policy: text,
  steps: listOf(gives({ path: text })),
  conflicts,
  skipped,
  protectedPaths: listOf(text),
  lostSecrets: listOf(text),
  changesOwner: listOf(text),
  obstacles: listOf({ type: "object" }),
});

export const committed = gives({
  session: text,
  tx: orNull(text),
  committed: listOf(text),
  skipped,
  conflicts,
});

/** What is left of the session's changes. */
export const left = gives({ session: text, changes: count });
