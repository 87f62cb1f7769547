// The toolset `processes`: tools for the background processes of a cell.

import type { JsonObject } from "../core/json.ts";
import type { BackgroundProcess } from "../shield/processes.ts";
import { defineTool } from "./define-tool.ts";
import { PROCESS_LIST_OUTPUT, PROCESS_OUTPUT, PROCESS_OUTPUT_OUTPUT } from "./output/output-schemas.ts";

const common = {
  toolset: "processes",
  category: "exec",
  danger: "safe",
  needs: ["commands"],
  subject: "none",
} as const;

const ID = {
  type: "object",
  properties: { process_id: { type: "string", description: "The id that run_command returned" } },
  required: ["process_id"],
  additionalProperties: false,
};

interface Args {
  readonly process_id: string;
}

export const processList = defineTool({
  ...common,
  name: "process_list",
  outputSchema: PROCESS_LIST_OUTPUT,
  description: "List the background processes of this cell.",
  input: { type: "object", properties: {}, additionalProperties: false },
  effect: "read",
  run: (_args, { commands }) => ({ processes: commands.processes.list().map(shown) }),
});

export const processOutput = defineTool({
  ...common,
  name: "process_output",
  outputSchema: PROCESS_OUTPUT_OUTPUT,
  description: "Read the output of a background process so far: its beginning and its end.",
  input: ID,
  effect: "read",
  run({ process_id }: Args, { commands }) {
    const { refusedHosts, ...output } = commands.processes.output(process_id);
    return { ...output, ...(refusedHosts.length > 0 && { refused_hosts: refusedHosts }) };
  },
});

export const processStop = defineTool({
  ...common,
  name: "process_stop",
  outputSchema: PROCESS_OUTPUT,
  description: "End a background process and all its descendants.",
  input: ID,
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
