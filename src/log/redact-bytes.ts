// Removes configured secrets from bytes that come in parts: a secret may be split over two of them.
import { REDACTED, secretForms } from "./redact.ts";

export interface ByteRedactor {
  /** What is sure not to be the beginning of a secret. */
  add(bytes: Buffer): Buffer;
  /** The rest. */
  end(): Buffer;
}

/** Null if there is nothing to remove. */
export function createByteRedactor(secrets: readonly string[]): ByteRedactor | null {
  // One character for each byte, so that a part may end anywhere.
  const forms = secretForms(secrets)
    .map((form) => Buffer.from(form).toString("latin1"))
    .sort((a, b) => b.length - a.length);
  if (forms.length === 0) return null;
  const search = { forms, pattern: patternOf(forms), reach: forms[0]!.length - 1 };
  let held = "";
  return {
    add(bytes) {
      const { redacted, rest } = redactPart(held + bytes.toString("latin1"), search);
      held = rest;
      return Buffer.from(redacted, "latin1");
    },
    end() {
      const redacted = held.replaceAll(search.pattern, REDACTED);
      held = "";
      return Buffer.from(redacted, "latin1");
    },
  };
}

interface Search {
  /** The longest first. */
  readonly forms: readonly string[];
  readonly pattern: RegExp;
  /** How far from the end of a chunk a secret may begin that continues in the next chunk. */
  readonly reach: number;
}

function patternOf(forms: readonly string[]): RegExp {
  return new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
}

function redactPart(text: string, { forms, pattern, reach }: Search) {
  const redacted: string[] = [];
  let from = 0;
  let open = findBeginning(text, forms, text.length - reach);
  for (const { index, 0: found } of text.matchAll(pattern)) {
    if (index >= open) break;
    redacted.push(text.slice(from, index), REDACTED);
    from = index + found.length;
    if (from > open) open = findBeginning(text, forms, from);
  }
  redacted.push(text.slice(from, open));
  return { redacted: redacted.join(""), rest: text.slice(open) };
}

/** Where the end of a text may be the beginning of a secret; its length if nowhere. */
function findBeginning(text: string, forms: readonly string[], earliest: number): number {
  for (let at = Math.max(0, earliest); at < text.length; at++) {
    const end = text.slice(at);
    if (forms.some((form) => form.length > end.length && form.startsWith(end))) return at;
  }
  return text.length;
}
