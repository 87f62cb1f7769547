// One line of the log. The last field is a hash of all bytes before it, including the previous record's hash, so a line
// can be checked from its bytes alone.
import { hash } from "node:crypto";
import { isJsonObject, type Json } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";

/** Records of what happened beside calls. */
export type EventKind =
  | "run.start"
  | "run.end"
  | "approval.asked"
  | "approval.answered"
  | "network.connect"
  | "session.commit"
  | "session.discard"
  | "session.rewind"
  | "session.revert";

export type RecordKind = "tool.intent" | "tool.exec" | "tool.interrupted" | "log.recovered" | EventKind;

/** Maps field names to JSON text, in the order of writing; undefined fields are omitted. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** The record that the next record continues. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

export interface LogRecord extends Link {
  readonly ts: string;
  readonly kind: string;
  readonly prev: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly agentId?: string | null;
  /** The process that began the call. */
  readonly writer?: string;
  /** The record in which the call began. */
  readonly intent?: number;
  /** The number of anchored records that were missing after a restart. */
  readonly lost?: number;
  /** The number of records that were present after a restart but not anchored. */
  readonly adopted?: number;
  readonly [field: string]: Json | undefined;
}

export interface SealedRecord extends Link {
  readonly line: Buffer;
}

export const GENESIS: Link = { seq: 0, hash: "0".repeat(64) };

/** In a record over the limit, longer fields are replaced by a summary. Then all fields of a record fit. */
const SUMMED_UP_BYTES = LIMITS.maxLogRecordBytes / 16;

export function sealRecord(previous: Link, kind: RecordKind, fields: Fields): SealedRecord {
  const record = seal(previous, kind, fields);
  if (record.line.length <= LIMITS.maxLogRecordBytes) return record;
  const shorter = Object.entries(fields).map(([name, json]) => [name, json && sumUp(json)]);
  return seal(previous, kind, Object.fromEntries(shorter));
}

function sumUp(json: string): string {
  const bytes = Buffer.byteLength(json);
  return bytes <= SUMMED_UP_BYTES ? json : `{"bytes":${bytes},"sha256":"${hash("sha256", json, "hex")}"}`;
}

function seal(previous: Link, kind: RecordKind, fields: Fields): SealedRecord {
  const seq = previous.seq + 1;
  const start = `{"seq":${seq},"ts":"${new Date().toISOString()}","kind":"${kind}"`;
  let middle = "";
  for (const name in fields) if (fields[name] !== undefined) middle += `,"${name}":${fields[name]}`;
  const body = `${start}${middle},"prev":"${previous.hash}"`;
  const bodyHash = hash("sha256", body, "hex");
  return { seq, hash: bodyHash, line: Buffer.from(`${body}${sealText(bodyHash)}\n`) };
}

/** The end of a line with this hash. */
export function sealText(seal: string): string {
  return `,"hash":"${seal}"}`;
}

export const SEAL_BYTES = sealText(GENESIS.hash).length;

/** The record of a line without its newline, or undefined if the hash does not match the bytes. */
export function checkRecord(line: Buffer): LogRecord | undefined {
  const body = line.subarray(0, -SEAL_BYTES);
  const end = line.subarray(-SEAL_BYTES).toString("latin1");
  return end === sealText(hash("sha256", body, "hex")) ? parseRecord(line) : undefined;
}

/** The record of a line, without checking its hash. */
export function parseRecord(line: Buffer): LogRecord | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is LogRecord {
  if (!isJsonObject(value)) return false;
  const { seq, ts, kind, prev, hash } = value;
  const { toolCallId = "", toolName = "", agentId, writer = "", intent = 0, lost = 0, adopted = 0 } = value;
  const texts = [ts, kind, prev, hash, toolCallId, toolName, agentId ?? "", writer];
  const counts = [seq, intent, lost, adopted];
  return (
    texts.every((text) => typeof text === "string") &&
    counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0)
  );
}

export function continues(record: LogRecord, previous: Link): boolean {
  return record.seq === previous.seq + 1 && record.prev === previous.hash;
}
