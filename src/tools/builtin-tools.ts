import type { Tool } from "./define-tool.ts";
import { processList, processOutput, processStop } from "./processes.ts";
import { listDirectory } from "./sidecar/list-directory.ts";
import { readFile } from "./sidecar/read-file.ts";
import { runCommand } from "./sidecar/run-command.ts";
import { writeFile } from "./sidecar/write-file.ts";
import { bash } from "./studio/bash.ts";
import { timeNow } from "./time-now.ts";

export const BUILTIN_TOOLS: readonly Tool[] = [
  readFile,
  writeFile,
  listDirectory,
  runCommand,
  bash,
  processList,
  processOutput,
  processStop,
  timeNow,
];
