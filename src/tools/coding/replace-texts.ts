// Exact replacements in the bytes of a file. Bytes that are not UTF-8 stay as they are.
import { HotcellError } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { findAll } from "../patch/find-all.ts";
import { describeMiss } from "./describe-miss.ts";

export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
}

export interface Edited {
  readonly bytes: Buffer;
  readonly replacements: number;
}

/** All edits, one after the other, each on the result of the one before. Throws PATCH_FAILED if one does not fit. */
export function replaceTexts(before: Buffer, edits: readonly Edit[]): Edited {
  const isUtf8 = Buffer.from(before.toString()).equals(before);
  let text = before.toString("latin1");
  let replacements = 0;
  let edited = 0;
  for (const [index, edit] of edits.entries()) {
    try {
      edited += text.length;
      if (edited > LIMITS.maxEditedBytes)
        throw failed("there are too many edits for so long a text. Make several calls, or use a command.");
      const { offsets, old, fresh } = place(text, edit, isUtf8);
      checkSize(text.length + offsets.length * (fresh.length - old.length));
      text = replaceAt(text, offsets, old.length, fresh);
      replacements += offsets.length;
    } catch (error) {
      throw inEdit(error, index, edits.length);
    }
  }
  return { bytes: Buffer.from(text, "latin1"), replacements };
}

function checkSize(size: number): void {
  if (size <= LIMITS.maxEditBytes) return;
  const sizes = `the file would have ${size} bytes, and the limit is ${LIMITS.maxEditBytes}`;
  throw new HotcellError("FILE_TOO_LARGE", `${sizes}. Use a command.`);
}

interface Placed {
  readonly offsets: readonly number[];
  readonly old: string;
  readonly fresh: string;
}

/** The positions of the edit, with the file's line endings. Texts are bytes: each character is one byte. */
function place(text: string, { old_text, new_text, replace_all = false }: Edit, isUtf8: boolean): Placed {
  if (old_text === "") return atStartOfNothing(text, new_text);
  if (old_text === new_text) throw failed("old_text and new_text are the same.");
  if (!isUtf8 && /[^\p{ASCII}]/u.test(new_text))
    throw failed("the file is not UTF-8, so that new_text can have ASCII characters only.");
  const isCrlf = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  const [old, fresh] = [old_text, new_text].map((given) => bytesOf(isCrlf ? withCrlf(given) : given));
  const offsets = separate(findAll(text, old!), old!.length);
  if (offsets.length === 0) throw failed(describeMiss(decode(text), old_text, new_text, isUtf8));
  if (offsets.length > 1 && !replace_all) throw ambiguous(text, offsets);
  return { offsets, old: old!, fresh: fresh! };
}

function atStartOfNothing(text: string, newText: string): Placed {
  if (text === "") return { offsets: [0], old: "", fresh: bytesOf(newText) };
  throw failed(
    "old_text is empty, which creates a file, but the file is there and has text. Give the text to replace.",
  );
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function decode(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

/** Of overlapping matches, only the first. */
function separate(offsets: Iterable<number>, length: number): readonly number[] {
  const kept: number[] = [];
  for (const offset of offsets) {
    if (offset >= (kept.at(-1) ?? -length) + length) kept.push(offset);
    if (kept.length > LIMITS.maxReplacements)
      throw failed(`the file has old_text more than ${LIMITS.maxReplacements} times. Use a command.`);
  }
  return kept;
}

function replaceAt(text: string, offsets: readonly number[], length: number, fresh: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const offset of offsets) {
    parts.push(text.slice(at, offset), fresh);
    at = offset + length;
  }
  return parts.join("") + text.slice(at);
}

const NAMED_LINES = 5;

function ambiguous(text: string, offsets: readonly number[]): HotcellError {
  const lines = offsets.slice(0, NAMED_LINES).map((offset) => text.slice(0, offset).split("\n").length);
  const more = offsets.length > NAMED_LINES ? " and further on" : "";
  const found = `the file has old_text ${offsets.length} times, at lines ${lines.join(", ")}${more}`;
  return failed(`${found}. Give more of the text around it, or set replace_all.`);
}

function failed(reason: string): HotcellError {
  return new HotcellError("PATCH_FAILED", reason);
}

function inEdit(error: unknown, index: number, count: number): unknown {
  if (!(error instanceof HotcellError)) return error;
  const which = count === 1 ? "" : `no edit was made, for in edit ${index + 1} of ${count} `;
  return new HotcellError(error.code, `${which}${error.message}`);
}
