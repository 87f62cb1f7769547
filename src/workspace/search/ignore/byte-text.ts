import { osPath } from "../../fs/names.ts";

const NOT_ASCII = /[^\x00-\x7F]/;

/** A name as git compares it: a text with one character for each byte. */
export function byteText(name: string): string {
  if (!NOT_ASCII.test(name)) return name;
  const bytes = osPath(name);
  return (typeof bytes === "string" ? Buffer.from(bytes, "utf8") : bytes).toString("latin1");
}
