import { readFileSync } from "node:fs";

/** The version of hotcell. */
export function readVersion(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}
