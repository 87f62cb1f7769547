// A unified diff that makes a file says nothing of lines that are there: applied to a file, it would put its lines on top.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";

/** Whether there is nothing that the diff goes by: neither a file nor old lines. */
export function makesNewFile(diff: string): boolean {
  const header = headerOf(diff);
  return NEW_FILE_MODE.test(header) || (OLD_IS_NONE.test(header) && !HUNK_WITH_OLD_LINES.test(diff));
}

/** Throws PATCH_FAILED. To lines alone, an empty file is as good as none. */
export function checkNoNewFile(diff: string, path: string, text: string): void {
  if (!makesNewFile(diff) || (text === "" && !NEW_FILE_MODE.test(headerOf(diff)))) return;
  throw new HotcellError(
    "PATCH_FAILED",
    `Could not patch ${quote(path)}: the patch makes a new file, and one is there. Make a patch against its present lines, or replace it with fs.write.`,
  );
}

const headerOf = (diff: string): string => diff.split(/^@@ /m, 1)[0] ?? "";

const NEW_FILE_MODE = /^new file mode /m;
const OLD_IS_NONE = /^--- \/dev\/null(?:\s.*)?$/m;
const HUNK_WITH_OLD_LINES = /^@@ -\d+(?:,(?!0 )\d+)? /m;
