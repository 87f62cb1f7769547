import { LIMITS } from "../core/limits.ts";

/** The formats that input schemas may name. */
export const formats = {
  path: (text: string): boolean => pathProblem(text) === undefined,
};

/** Why the text cannot be the path of a file; does not use the disk. */
export function pathProblem(text: string): string | undefined {
  if (text === "") return "a path cannot be empty";
  if (text.includes("\0")) return "a path cannot contain a NUL character";
  const limit = LIMITS.maxPathBytes;
  return Buffer.byteLength(text) > limit ? `a path cannot be longer than ${limit} bytes` : undefined;
}
