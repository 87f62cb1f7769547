import { showName } from "../../workspace/fs/names.ts";
import { type Io, printJson } from "./io.ts";

/** One document for programs, in which names that are not UTF-8 can be read: half characters break many a reader. */
export function printShown(io: Io, value: unknown): void {
  printJson(io, showNames(value), true);
}

/** The same value with all its texts as `showName` writes them. */
export function showNames(value: unknown): unknown {
  if (typeof value === "string") return showName(value);
  if (Array.isArray(value)) return value.map(showNames);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, showNames(member)]));
}
