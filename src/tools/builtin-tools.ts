import type { Tool } from "./define-tool.ts";
import { listDirectory } from "./sidecar/list-directory.ts";
import { readFile } from "./sidecar/read-file.ts";
import { writeFile } from "./sidecar/write-file.ts";
import { timeNow } from "./time-now.ts";

export const BUILTIN_TOOLS: readonly Tool[] = [readFile, writeFile, listDirectory, timeNow];
