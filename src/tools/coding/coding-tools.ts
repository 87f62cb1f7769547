import type { Tool } from "../define-tool.ts";
import { writeFile } from "../sidecar/write-file.ts";
import { timeNow } from "../time-now.ts";
import { editFile } from "./edit-file.ts";
import { findFiles } from "./find-files.ts";
import { codingListDirectory } from "./list-directory.ts";
import { codingReadFile } from "./read-file.ts";
import { codingRunCommand } from "./run-command.ts";
import { codingSearchFiles } from "./search-files.ts";

/** The toolset `coding`: the tools of `sidecar` and two more, with results that fit a model's context. */
export const CODING_TOOLS: readonly Tool[] = [
  codingReadFile,
  editFile,
  { ...writeFile, toolset: "coding" },
  codingListDirectory,
  findFiles,
  codingSearchFiles,
  codingRunCommand,
  { ...timeNow, toolset: "coding" },
];
