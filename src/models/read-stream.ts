// The two framings that providers stream in: server-sent events, and one JSON value per line.
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { brokenProtocol } from "./model-error.ts";

/** Yields the `data` of each server-sent event. A last event without its empty line was cut off and is dropped. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>, host: string): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const { lines } of readLines(bytes, host))
    for (const line of lines) {
      if (line !== "") {
        if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      } else if (data.length > 0) {
        yield data.length === 1 ? data[0]! : data.join("\n");
        data = [];
      }
    }
}

/** Yields each whole line that is not empty. A last line without its end counts if it is a whole JSON value. */
export async function* readJsonLines(
  bytes: AsyncIterable<Uint8Array>,
  host: string,
): AsyncGenerator<JsonObject> {
  for await (const { lines, areEnded } of readLines(bytes, host))
    for (const line of lines) {
      if (line.trim() === "" || (!areEnded && !isJson(line))) continue;
      yield readObject(line, host);
    }
}

export function readObject(text: string, host: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw brokenProtocol(host, "a part of it is not JSON");
  }
  if (!isJsonObject(value)) throw brokenProtocol(host, "a part of it is not a JSON object");
  return value;
}

interface Lines {
  readonly lines: readonly string[];
  /** False for the last line, if it has no end. */
  readonly areEnded: boolean;
}

/** Yields the lines that end in each piece together: a step of a generator costs more than a line. */
async function* readLines(bytes: AsyncIterable<Uint8Array>, host: string): AsyncGenerator<Lines> {
  const decoder = new TextDecoder();
  /** The pieces of a line that has not ended: each is looked at once, however small they are. */
  let held: string[] = [];
  let heldChars = 0;
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    const ended = text.lastIndexOf("\n") + 1;
    if (ended > 0) {
      held.push(text.slice(0, ended - 1));
      yield { lines: held.join("").split("\n").map(withoutReturn), areEnded: true };
      held = [];
      heldChars = 0;
    }
    held.push(text.slice(ended));
    heldChars += text.length - ended;
    if (heldChars > LIMITS.maxModelLineChars)
      throw brokenProtocol(host, `a line of it is longer than ${LIMITS.maxModelLineChars} characters`);
  }
  const rest = held.join("") + decoder.decode();
  if (rest !== "") yield { lines: [rest], areEnded: false };
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
