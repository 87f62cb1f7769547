// A unified diff that creates a file has no old lines. Applied to an existing file, it would insert its lines at the top.
import { HotcellError } from "../../core/errors.ts";
import { quote } from "../../core/quote.ts";

/** Whether the diff creates a file: its header says so, or it has neither an old file nor old lines. */
export function makesNewFile(diff: string): boolean {
  const header = headerOf(diff);
  return NEW_FILE_MODE.test(header) || (OLD_IS_NONE.test(header) && !HUNK_WITH_OLD_LINES.test(diff));
}

/** Throws PATCH_FAILED. An empty file counts as missing, unless the header says "new file mode". */
export function checkNoNewFile(diff: string, path: string, text: string): void {
  if (!makesNewFile(diff) || (text === "" && !NEW_FILE_MODE.test(headerOf(diff)))) return;
  throw new HotcellError(
    "PATCH_FAILED",
    `Could not patch ${quote(path)}: the patch creates a new file, but the file exists. Create a patch against its present lines, or replace it with fs.write.`,
  );
}

const headerOf = (diff: string): string => diff.split(/^@@ /m, 1)[0] ?? "";

const NEW_FILE_MODE = /^new file mode /m;
const OLD_IS_NONE = /^--- \/dev\/null(?:\s.*)?$/m;
const HUNK_WITH_OLD_LINES = /^@@ -\d+(?:,(?!0 )\d+)? /m;
