// What is kept of a session beside its changes: its log, the whole outputs of calls, and single files.
import fs from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { HotcellError } from "../../../core/errors.ts";
import { LIMITS } from "../../../core/limits.ts";
import { quote } from "../../../core/quote.ts";
import { openIfThere } from "../../../log/log-file.ts";
import { readLog } from "../../../log/read.ts";
import { runPaths } from "../../../log/runs.ts";
import { verifyLog } from "../../../log/verify.ts";
import { openTreeReader } from "../../../workspace/fs/tree-reader.ts";
import { withDiff } from "../../../workspace/session/session-diff.ts";
import { readPaths } from "../../cli/session/session-paths.ts";
import type { ApiParts } from "../api-parts.ts";
import type { Route } from "../route.ts";
import { digits, flag, gives, listOf, oneOf, orNull, text } from "../schemas.ts";

export function logRoutes({ cells, store, project }: ApiParts): Route[] {
  const placesOf = async (given: string) => runPaths(store.stateDir, await cells.find(given));
  return [
    {
      method: "GET",
      path: "/api/sessions/{session}/log",
      summary: `Records of the session's log from this number on, ${LIMITS.server.maxLogRecords} at a time`,
      query: { from: digits },
      answer: gives({ records: listOf({ type: "object" }), next: orNull({ type: "integer" }) }),
      async handle({ params, query }) {
        const { logFile } = await placesOf(params.session!);
        return readRecords(logFile, Number(query.from ?? 0));
      },
    },
    {
      method: "GET",
      path: "/api/sessions/{session}/verify",
      summary: "Whether anybody changed the session's log",
      answer: gives({ ok: flag }),
      async handle({ params }) {
        const { logFile, anchorFile } = await placesOf(params.session!);
        return verifyLog(logFile, anchorFile);
      },
    },
    {
      method: "GET",
      path: "/api/sessions/{session}/artifacts/{artifact}",
      summary: "The whole output of a call whose observation was cut",
      answer: "application/octet-stream",
      async handle({ params }) {
        const { artifactsDir } = await placesOf(params.session!);
        return sendArtifact(artifactsDir, params.artifact!);
      },
    },
    {
      method: "GET",
      path: "/api/sessions/{session}/file",
      summary: "The content of a file, as the session or as the project has it",
      query: { path: text, of: oneOf("session", "project") },
      answer: "application/octet-stream",
      async handle({ params, query, signal }) {
        const id = await cells.find(params.session!);
        const diff = <T>(work: Parameters<typeof withDiff<T>>[2]) => withDiff(id, { ...store, signal }, work);
        const [at = ""] =
          (await readPaths([query.path ?? ""], { record: { workspace: project }, diff })) ?? [];
        if (store.protectionOf(at)?.read === "refuse") throw secretFile(at);
        return diff((_, __, { view, project: root }) => {
          const found = query.of === "project" ? root : view(at);
          if (found === null || at === "") throw noFile(at);
          return sendFile(found, at);
        });
      },
    },
  ];
}

function readRecords(logFile: string, from: number) {
  const records: object[] = [];
  for (const { record } of readLog(logFile)) {
    if (record === null || record.seq < from) continue;
    if (records.length === LIMITS.server.maxLogRecords) return { records, next: record.seq };
    records.push(record);
  }
  return { records, next: null };
}

function sendArtifact(dir: string, id: string): Response {
  const isId = /^[0-9a-f]{64}$/.test(id);
  const fd = isId ? openIfThere(path.join(dir, id), fs.constants.O_RDONLY) : undefined;
  if (fd === undefined) throw new HotcellError("NOT_FOUND", `There is no artifact ${quote(id)}.`);
  return sendBytes(Readable.toWeb(fs.createReadStream("", { fd })) as ReadableStream);
}

function sendFile(root: Parameters<typeof openTreeReader>[0], at: string): Response {
  const reader = openTreeReader(root);
  try {
    const found = reader.look(at);
    if (found === null || found.side.kind !== "file") throw noFile(at);
    if (found.side.size > LIMITS.maxEditBytes)
      throw new HotcellError("FILE_TOO_LARGE", `Could not send ${quote(at)}: it is too large.`);
    return sendBytes(new Uint8Array(reader.read(at)));
  } finally {
    reader.close();
  }
}

/** A browser must not take it for a page. */
function sendBytes(content: Uint8Array<ArrayBuffer> | ReadableStream): Response {
  const headers = { "content-type": "application/octet-stream", "content-disposition": "attachment" };
  return new Response(content, { headers });
}

function noFile(at: string): HotcellError {
  return new HotcellError("NOT_FOUND", `There is no file ${quote(at)}.`);
}

function secretFile(at: string): HotcellError {
  return new HotcellError("PROTECTED_PATH", `Could not send ${quote(at)}: it contains secrets.`);
}
