// The JSON Schemas of the built-in tools' outputs on success. A schema allows further properties: an output that is too
// large is cut and marked.
import type { JsonObject } from "../../core/json.ts";

const text = { type: "string" } as const;
const count = { type: "integer", minimum: 0 } as const;
const flag = { type: "boolean" } as const;
// Some clients take one type only.
const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: "null" }] });
const textOrNull = orNull(text);
const countOrNull = orNull({ type: "integer" });

const listOf = (items: JsonObject): JsonObject => ({ type: "array", items });

/** An object with all `required` properties, and perhaps some of the others. */
function objectOf(required: JsonObject, optional: JsonObject = {}): JsonObject {
  return { type: "object", properties: { ...required, ...optional }, required: Object.keys(required) };
}

export const READ_FILE_OUTPUT = objectOf(
  { path: text, content: textOrNull, lines: countOrNull, sha256: textOrNull, truncated: flag },
  { binary: flag, size: count, mime: text, image: { ...text, description: "Base64" }, note: text },
);

const WRITTEN = { path: text, bytes_written: count, sha256: text, created: flag };
export const WRITE_FILE_OUTPUT = objectOf(WRITTEN);
export const EDIT_FILE_OUTPUT = objectOf({ ...WRITTEN, replacements: count });

export const LIST_DIRECTORY_OUTPUT = objectOf(
  {
    path: text,
    entries: listOf(objectOf({ name: text, type: text, size: count, modified: text })),
    truncated: flag,
  },
  { note: text },
);

export const FIND_FILES_OUTPUT = objectOf({ paths: listOf(text), truncated: flag }, { note: text });

export const SEARCH_FILES_OUTPUT = objectOf(
  {
    matches: listOf(
      objectOf({ path: text, line: count, text }, { before: listOf(text), after: listOf(text) }),
    ),
    files_scanned: count,
    truncated: flag,
  },
  { files: listOf(text), counts: listOf(objectOf({ path: text, count })), note: text },
);

const ENDED_COMMAND = {
  exit_code: countOrNull,
  signal: textOrNull,
  stdout: text,
  stderr: text,
  duration_ms: { type: "number" },
  timed_out: flag,
  termination: textOrNull,
  truncated: flag,
};
export const RUN_COMMAND_OUTPUT: JsonObject = {
  type: "object",
  anyOf: [objectOf(ENDED_COMMAND, { note: text }), objectOf({ process_id: text })],
};

export const TIME_NOW_OUTPUT = objectOf({ iso: text, unix_ms: count });

export const PROCESS_OUTPUT = objectOf({
  process_id: text,
  command: text,
  started: text,
  state: { enum: ["running", "ended"] },
  exit_code: countOrNull,
  signal: textOrNull,
});
export const PROCESS_LIST_OUTPUT = objectOf({ processes: listOf(PROCESS_OUTPUT) });
export const PROCESS_OUTPUT_OUTPUT = objectOf({ stdout: text, stderr: text, truncated: flag });

export const SESSION_CREATE_OUTPUT = objectOf({ session: text });
export const SESSION_DIFF_OUTPUT = objectOf({
  changes: count,
  ignored: count,
  stat: text,
  diff: text,
  truncated: flag,
});
export const SESSION_COMMIT_OUTPUT = objectOf({
  tx: textOrNull,
  committed: listOf(text),
  skipped: listOf(objectOf({ path: text, why: text })),
  conflicts: listOf(objectOf({ path: text, reason: text })),
});
export const SESSION_DISCARD_OUTPUT = objectOf({ changes: count });
export const SESSION_REWIND_OUTPUT = objectOf({ changes: count, commits: listOf(text) });

/** `value` is any JSON. */
export const KV_GET_OUTPUT = objectOf({ key: text, found: flag, value: {} });
export const KV_SET_OUTPUT = objectOf({ key: text, created: flag });
export const KV_DELETE_OUTPUT = objectOf({ key: text, deleted: flag });
export const KV_LIST_OUTPUT = objectOf({ keys: listOf(text), truncated: flag }, { note: text });

const FS_ENTRIES = listOf(objectOf({ name: text, type: text, size: count }));
export const FS_LIST_OUTPUT = objectOf(
  { path: text, truncated: flag },
  { entries: FS_ENTRIES, entriesPreview: FS_ENTRIES, total: count, hint: text },
);
export const FS_READ_OUTPUT = objectOf(
  { path: text, bytes: count, sha256: text, truncated: flag },
  { content: text, contentPreview: text, hint: text },
);
export const FS_SEARCH_OUTPUT = objectOf(
  {
    path: text,
    matches: listOf(objectOf({ path: text, line: count, text, before: listOf(text), after: listOf(text) })),
    truncated: flag,
    stats: objectOf({ filesScanned: count, matches: count }),
  },
  { hint: text },
);
export const FS_WRITE_OUTPUT = objectOf({ path: text, bytesWritten: count, sha256After: text });
export const FS_APPLY_PATCH_OUTPUT = objectOf({ path: text, sha256Before: text, sha256After: text });

/** The toolset `studio` returns a text for the model, and metadata for the program. */
const studioOutput = (metadata: JsonObject): JsonObject =>
  objectOf({ output: text, metadata: objectOf({}, metadata), isError: flag });

export const FILE_READ_OUTPUT = studioOutput({
  path: text,
  bytes: count,
  sha256: textOrNull,
  truncated: flag,
});
export const FILE_WRITE_OUTPUT = studioOutput({ path: text, bytes: count, sha256: text, created: flag });
export const BASH_OUTPUT = studioOutput({
  exitCode: countOrNull,
  signal: textOrNull,
  termination: textOrNull,
  truncated: flag,
});
export const WEB_SEARCH_OUTPUT = studioOutput({
  provider: text,
  resultCount: count,
  untrusted: flag,
  unresponsiveEngines: listOf(text),
});

export const RUN_JS_OUTPUT = objectOf(
  { result: { description: "What the code returned; null if nothing" } },
  { logs: { ...text, description: "What the code wrote with console.log" }, note: text, truncated: flag },
);
