// Notices a model that makes the same call again and again.
import { digest } from "../core/canonical-json.ts";
import type { Json } from "../core/json.ts";
import type { ModelCall } from "../models/model.ts";

export interface RepeatCounter {
  /** How often this call has come in a row, this time included. */
  count(call: ModelCall): number;
}

export const WARN_AFTER = 3;
export const STOP_AFTER = 5;

export function createRepeatCounter(): RepeatCounter {
  let last = "";
  let times = 0;
  return {
    count({ name, arguments: text }) {
      const key = digest([name, parse(text)]);
      times = key === last ? times + 1 : 1;
      last = key;
      return times;
    },
  };
}

/** Arguments that are not JSON are compared as text. */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
