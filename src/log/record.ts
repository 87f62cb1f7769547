// One line of the log. Its hash stands last and covers all bytes before it, the previous record's hash
// among them, so that a line can be checked from its bytes alone.
import { hash } from "node:crypto";
import { isJsonObject, type Json } from "../core/json.ts";

export type RecordKind = "tool.intent" | "tool.exec" | "tool.interrupted" | "log.recovered";

/** Names to JSON text, in the order in which they are written. */
export type Fields = Readonly<Record<string, string>>;

/** What the next record continues. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

export interface LogRecord extends Link {
  readonly ts: string;
  readonly kind: string;
  readonly prev: string;
  readonly [field: string]: Json;
}

export interface SealedRecord extends Link {
  readonly line: Buffer;
}

export const GENESIS: Link = { seq: 0, hash: "0".repeat(64) };

export function sealRecord(previous: Link, kind: RecordKind, fields: Fields): SealedRecord {
  const seq = previous.seq + 1;
  const start = `{"seq":${seq},"ts":"${new Date().toISOString()}","kind":"${kind}"`;
  const middle = Object.entries(fields).map(([name, json]) => `,"${name}":${json}`);
  const body = `${start}${middle.join("")},"prev":"${previous.hash}"`;
  const seal = hash("sha256", body, "hex");
  return { seq, hash: seal, line: Buffer.from(`${body}${sealText(seal)}\n`) };
}

/** How a line ends whose hash is this one. */
export function sealText(seal: string): string {
  return `,"hash":"${seal}"}`;
}

export const SEAL_BYTES = sealText(GENESIS.hash).length;

/** The record of a line without its newline, or undefined when its bytes are not what was written. */
export function checkRecord(line: Buffer): LogRecord | undefined {
  const body = line.subarray(0, -SEAL_BYTES);
  const end = line.subarray(-SEAL_BYTES).toString("latin1");
  return end === sealText(hash("sha256", body, "hex")) ? parseRecord(line) : undefined;
}

/** The record that a line says it is, whether or not its hash holds. */
export function parseRecord(line: Buffer): LogRecord | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isJsonObject(value) && Number.isSafeInteger(value.seq) && typeof value.kind === "string"
      ? (value as LogRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

export function continues(record: LogRecord, previous: Link): boolean {
  return record.seq === previous.seq + 1 && record.prev === previous.hash;
}
