import { CODING_TOOLS } from "./coding/coding-tools.ts";
import type { Tool } from "./define-tool.ts";
import { exec } from "./exec.ts";
import { kvDelete, kvGet, kvList, kvSet } from "./kv/kv-tools.ts";
import { fsApplyPatch } from "./mounts/apply-patch.ts";
import { fsList } from "./mounts/list.ts";
import { fsRead } from "./mounts/read.ts";
import { fsSearch } from "./mounts/search.ts";
import { fsWrite } from "./mounts/write.ts";
import { processList, processOutput, processStop } from "./processes.ts";
import {
  sessionCommit,
  sessionCreate,
  sessionDiff,
  sessionDiscard,
  sessionRewind,
} from "./session/session-tools.ts";
import { listDirectory } from "./sidecar/list-directory.ts";
import { readFile } from "./sidecar/read-file.ts";
import { runCommand } from "./sidecar/run-command.ts";
import { searchFiles } from "./sidecar/search-files.ts";
import { writeFile } from "./sidecar/write-file.ts";
import { bash } from "./studio/bash.ts";
import { fileRead } from "./studio/file-read.ts";
import { fileWrite } from "./studio/file-write.ts";
import { timeNow } from "./time-now.ts";
import { runJsTool } from "./wasm/run-js.ts";
import { webSearch } from "./web/web-search.ts";

export const BUILTIN_TOOLS: readonly Tool[] = [
  ...CODING_TOOLS,
  readFile,
  writeFile,
  listDirectory,
  runCommand,
  searchFiles,
  fsList,
  fsRead,
  fsSearch,
  fsWrite,
  fsApplyPatch,
  fileRead,
  fileWrite,
  bash,
  webSearch,
  runJsTool(),
  processList,
  processOutput,
  processStop,
  sessionCreate,
  sessionDiff,
  sessionCommit,
  sessionDiscard,
  sessionRewind,
  kvGet,
  kvSet,
  kvDelete,
  kvList,
  timeNow,
];

/** Their schemas are compiled ahead of time. */
export const PRECOMPILED_TOOLS: readonly Tool[] = [...BUILTIN_TOOLS, exec];
