// The toolset `processes`: what a model does with the background processes of its cell.

import type { JsonObject } from "../core/json.ts";
import type { BackgroundProcess } from "../shield/processes.ts";
import { defineTool } from "./define-tool.ts";

const common = {
  toolset: "processes",
  category: "exec",
  danger: "safe",
  needs: ["commands"],
  subject: "none",
} as const;

const ID = {
  type: "object",
  properties: { process_id: { type: "string", description: "As run_command gave it" } },
  required: ["process_id"],
  additionalProperties: false,
};

interface Args {
  readonly process_id: string;
}

export const processList = defineTool({
  ...common,
  name: "process_list",
  description: "List the background processes of this cell.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  effect: "read",
  run: (_args, { commands }) => ({ processes: commands.processes.list().map(shown) }),
});

export const processOutput = defineTool({
  ...common,
  name: "process_output",
  description: "Read what a background process has written so far: the beginning and the end of it.",
  inputSchema: ID,
  effect: "read",
  run: ({ process_id }: Args, { commands }) => ({ ...commands.processes.output(process_id) }),
});

export const processStop = defineTool({
  ...common,
  name: "process_stop",
  description: "End a background process and everything that it started.",
  inputSchema: ID,
  effect: "read",
  keepsTime: true,
  run: async ({ process_id }: Args, { commands }) => shown(await commands.processes.stop(process_id)),
});

function shown({ id, command, started, end }: BackgroundProcess): JsonObject {
  const state = end === null ? "running" : "ended";
  return {
    process_id: id,
    command,
    started: started.toISOString(),
    state,
    exit_code: end?.exitCode ?? null,
    signal: end?.signal ?? null,
  };
}
