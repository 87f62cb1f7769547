import { LIMITS } from "../core/limits.ts";

/** The formats that input schemas may name. */
export const formats = {
  path: (text: string): boolean => pathProblem(text) === undefined,
};

/** What keeps the text from being a path of any file, before anybody looks at the disk. */
export function pathProblem(text: string): string | undefined {
  if (text === "") return "a path can't be empty";
  if (text.includes("\0")) return "a path can't hold a NUL character";
  const limit = LIMITS.maxPathBytes;
  return Buffer.byteLength(text) > limit ? `a path can't be longer than ${limit} bytes` : undefined;
}
