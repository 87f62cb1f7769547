import { Command, CommanderError } from "commander";
import { type ErrorCode, HotcellError } from "../../core/errors.ts";
import { makeVisible } from "../../core/quote.ts";
import { WIRE_FORMATS } from "../../tools/definitions.ts";
import type { AnswerFlags } from "./approvals.ts";
import type { PruneFlags } from "./audit/audit-prune.ts";
import type { ChatFlags } from "./chat/chat.ts";
import { type ExitCode, type Io, printJson } from "./io.ts";
import type { McpFlags } from "./mcp.ts";
import type { InstallFlags } from "./mcp-install.ts";
import { createNodeIo } from "./node-io.ts";
import { addRunCommand } from "./run/run-command.ts";
import type { ServeFlags } from "./serve/serve.ts";
import type { SessionFlags } from "./session/find-session.ts";
import { addSessionCommands, WAIT } from "./session/session-commands.ts";
import { addShortForms } from "./session/short-forms.ts";
import { addToolCommands, DETERMINISTIC } from "./tool/tool-commands.ts";

/** Flags that every command with a cell takes. */
export interface CellFlags {
  readonly workspace?: string;
  readonly config?: string;
  readonly fs?: string;
  readonly database?: string;
  readonly session?: string;
  readonly name?: string;
  readonly strategy?: string;
  readonly trust?: string;
  readonly rule?: readonly string[];
  readonly toolset?: readonly string[];
  readonly allowNetwork?: readonly string[];
  readonly stateDir?: string;
  readonly json?: boolean;
  readonly wait?: string;
}

/** Of commands that call one tool. */
export interface CallFlags extends CellFlags {
  readonly deterministic?: boolean;
}

/** Runs one command line. Exit 0: done; 1: the tool or check failed; 2: wrong use; for `exec`, the exit code of the command. */
export async function runCli(args: readonly string[], io: Io = createNodeIo()): Promise<number> {
  let code = 0;
  const program = createProgram(io, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return reportFailure(error, io, args.includes("--json"));
  }
}

function createProgram(io: Io, done: (code: number) => void): Command {
  const program = new Command("hotcell")
    .description("Run the tools that a language model asks for, safely, on this machine")
    .usage("COMMAND [OPTIONS]")
    .option("-V, --version", "Print the version")
    .helpOption("-h, --help", HELP)
    .helpCommand("help [command]", HELP)
    .exitOverride()
    // Commander writes help that nobody asked for, as with a missing subcommand, to standard error.
    .configureOutput({ writeOut: io.out, writeErr: io.out, outputError: () => {} })
    .addHelpText("after", EXAMPLES);

  withCellFlags(program.command("call"))
    .description("Call a tool and print the observation")
    .argument("<tool>", "Name of the tool")
    .argument("[arguments]", 'JSON object, or "-" to read it from standard input')
    .option("--deterministic", DETERMINISTIC)
    .action(async (tool: string, given: string | undefined, flags: CallFlags) => {
      const { callTool } = await import("./call-tool.ts");
      done(await callTool(io, tool, given, flags));
    });

  withCellFlags(program.command("tools"))
    .description("List tools, or print their definitions")
    .option("--format <wire>", `For ${WIRE_FORMATS.join(", ")}`)
    .action(async (flags: CellFlags & { format?: string }) => {
      const { printTools } = await import("./print-tools.ts");
      done(await printTools(io, flags));
    });

  withPlaceFlags(program.command("exec"))
    .description("Run a command in a sandbox, without rules")
    .usage("[OPTIONS] -- COMMAND [ARGUMENTS]")
    .argument("[command...]", "Program and its arguments")
    .addHelpText("after", "\nExit status: that of the command.")
    .action(async (argv: string[], flags: CellFlags) => {
      const { execCommand } = await import("./exec.ts");
      done(await execCommand(io, argv, flags));
    });

  addRunCommand(withPlaceFlags(program.command("run")), io, done);

  withCellFlags(program.command("chat"))
    .description("Work with a model that uses the tools")
    .argument("[prompt]", "What to do; without it hotcell asks")
    .option("--model <provider/name>", "Use this model, such as ollama/qwen3:8b")
    .option("--model-url <url>", "The address of a compatible server, such as http://127.0.0.1:8080/v1")
    .option("--resume <run>", "Continue this run: its id, or last")
    .option("--budget <amounts>", "Stop when it is spent: tokens=N,costUsd=N,timeMs=N,calls=N")
    .option("--price <amounts>", "US dollars for a million tokens: input=N,output=N,cachedInput=N")
    .addHelpText("after", "\nThe key of the model is MODEL_API_KEY in the environment.")
    .action(async (prompt: string | undefined, flags: ChatFlags) => {
      const { chat } = await import("./chat/chat.ts");
      done(await chat(io, prompt, flags));
    });

  const mcp = withPlaceFlags(program.command("mcp"))
    .description("Serve the tools to an MCP client")
    .option("--http", "Serve over HTTP on 127.0.0.1, instead of standard input and output")
    .option("--port <number>", "With --http: the port; 0 for any free one (default: 7357)")
    .option("--json", "With --http: print the URL and the token's file as JSON")
    .action(async (flags: McpFlags) => {
      const { serveMcp } = await import("./mcp.ts");
      done(await serveMcp(io, flags));
    });
  mcp
    .command("install")
    .description("Make an MCP client start hotcell for this project")
    .argument("<client>", "The client: claude-code, codex, cursor, opencode, vscode or zed")
    .option("--print", "Print the entry, and write nothing")
    .option("--yes", "Do not ask for confirmation")
    .action(async (client: string, _flags: InstallFlags, command: Command) => {
      const { installMcp } = await import("./mcp-install.ts");
      done(await installMcp(io, client, command.optsWithGlobals<InstallFlags>()));
    });

  withCellFlags(program.command("serve"))
    .description("Serve the project over HTTP and WebSocket")
    .option("--port <number>", "Listen on this port (default: 4610; 0: any free one)")
    .option("--host <address>", "Listen on this address (default: 127.0.0.1)")
    .option("--token-file <file>", "Use the token in this file of yours")
    .option("--model <provider/name>", "Use this model for runs, such as ollama/qwen3:8b")
    .option("--model-url <url>", "The address of a compatible server, such as http://127.0.0.1:8080/v1")
    .option("--budget <amounts>", "End a run when it is spent: tokens=N,costUsd=N,timeMs=N,calls=N")
    .option("--price <amounts>", "US dollars for a million tokens: input=N,output=N,cachedInput=N")
    .action(async (flags: ServeFlags) => {
      const { serve } = await import("./serve/serve.ts");
      done(await serve(io, flags));
    });

  addShortForms(program, io, done);
  addSessionCommands(program, io, done);
  addToolCommands(program, io, done, withCellFlags);

  program
    .command("doctor")
    .description("Check how this machine sandboxes commands")
    .option("--state-dir <dir>", "Keep sessions in this directory")
    .option("--json", "Print compact JSON")
    .action(async (flags: SessionFlags) => {
      const { runDoctor } = await import("./doctor/doctor.ts");
      done(await runDoctor(io, flags));
    });

  const network = program
    .command("network")
    .description("Find out which hosts commands need")
    .helpCommand("help [command]", HELP);
  network
    .command("learn")
    .description("Print the rules for the hosts that a session was refused")
    .argument("<session>", "Its id, its name, or last: the log of this project that was written last")
    .option("--state-dir <dir>", "Keep sessions and logs in this directory")
    .option("--json", "Print compact JSON")
    .action(async (session: string, flags: LogFlags) => {
      const { learnNetwork } = await import("./network-learn.ts");
      done(await learnNetwork(io, session, flags));
    });

  const audit = program
    .command("audit")
    .description("Show and verify the log, and replay calls")
    .helpCommand("help [command]", HELP);
  withLogFlags(audit.command("show"))
    .description("Show the records of the log")
    .action(async (flags: LogFlags) => {
      const { showLogs } = await import("./audit/audit.ts");
      done(await showLogs(io, flags));
    });
  withLogFlags(audit.command("verify"))
    .description("Verify that nobody changed the log")
    .action(async (flags: LogFlags) => {
      const { verifyLogs } = await import("./audit/audit.ts");
      done(await verifyLogs(io, flags));
    });
  withLogFlags(audit.command("replay"))
    .description("Run a deterministic call again, and compare")
    .argument("<call>", "Id of the call, number of its record (#3), or last")
    .action(async (call: string, flags: LogFlags) => {
      const { replayCall } = await import("./audit/audit-replay.ts");
      done(await replayCall(io, call, flags));
    });
  audit
    .command("prune")
    .description("Remove the logs of sessions that no longer exist")
    .option("--dry-run", "Print what would be removed, and remove nothing")
    .option("--yes", "Do not ask for confirmation")
    .option("--state-dir <dir>", "Keep sessions and logs in this directory")
    .option("--json", "Print compact JSON")
    .action(async (flags: PruneFlags) => {
      const { pruneLogs } = await import("./audit/audit-prune.ts");
      done(await pruneLogs(io, flags));
    });

  const approvals = program
    .command("approvals")
    .description("List the questions that wait for an answer")
    .helpCommand("help [command]", HELP);
  withStateFlags(approvals.command("list", { isDefault: true }))
    .description("List the questions")
    .action(async (flags: SessionFlags) => {
      const { printQuestions } = await import("./approvals.ts");
      done(printQuestions(io, flags));
    });
  withStateFlags(approvals.command("allow"))
    .description("Answer a question with yes")
    .argument("<id>", "Id of the question, or the beginning of it")
    .option("--remember <scope>", "Allow the same call again in this run, session or project")
    .option("--allow-rule <rule>", "Remember this rule instead of the exact call")
    .action(async (id: string, flags: AnswerFlags) => {
      const { giveAnswer } = await import("./approvals.ts");
      done(giveAnswer(io, true, id, flags));
    });
  withStateFlags(approvals.command("deny"))
    .description("Answer a question with no")
    .argument("<id>", "Id of the question, or the beginning of it")
    .option("--reason <text>", "Tell the model why")
    .action(async (id: string, flags: AnswerFlags) => {
      const { giveAnswer } = await import("./approvals.ts");
      done(giveAnswer(io, false, id, flags));
    });

  const policy = program
    .command("policy")
    .description("Explain and test the rules")
    .helpCommand("help [command]", HELP);
  withCellFlags(policy.command("explain"))
    .description("Show the decision on a call")
    .argument("<tool>", "Name of the tool")
    .argument("[arguments]", "JSON object")
    .action(async (tool: string, given: string | undefined, flags: CellFlags) => {
      const { explainPolicy } = await import("./policy.ts");
      done(await explainPolicy(io, tool, given, flags));
    });
  withCellFlags(policy.command("test"))
    .description("Check a file of calls and decisions")
    .argument("<file>", "JSON file, see docs/policy.md")
    .action(async (file: string, flags: CellFlags) => {
      const { testPolicy } = await import("./policy.ts");
      done(await testPolicy(io, file, flags));
    });
  withStateFlags(policy.command("list"))
    .description("List the answers that hotcell remembers")
    .action(async (flags: SessionFlags) => {
      const { listRemembered } = await import("./policy.ts");
      done(listRemembered(io, flags));
    });
  withStateFlags(policy.command("revoke"))
    .description("Forget a remembered answer")
    .argument("<id>", "Id of the answer")
    .action(async (id: string, flags: SessionFlags) => {
      const { revokeRemembered } = await import("./policy.ts");
      done(revokeRemembered(io, id, flags));
    });
  return program;
}

function withStateFlags(command: Command): Command {
  return command
    .option("--state-dir <dir>", "Keep sessions and logs in this directory")
    .option("--json", "Print compact JSON");
}

const HELP = "Show help";

const EXAMPLES = `
Examples:
  hotcell call read_file '{"path":"README.md","start_line":1,"end_line":5}'
  hotcell call write_file '{"path":"notes.md","content":"hi"}' --rule 'allow write_file(*.md)'
  hotcell exec -- npm test
  hotcell run -- bash
  hotcell diff
  hotcell commit src
  hotcell undo
  hotcell policy explain write_file '{"path":".env","content":""}'
  hotcell audit verify

Exit status: 0 done, 1 the tool or check failed, 2 wrong use.`;

function withCellFlags(command: Command): Command {
  return withPlaceFlags(command).option("--json", "Print compact JSON");
}

function withPlaceFlags(command: Command): Command {
  return command
    .option("--workspace <dir>", "Use this project (default: the current directory)")
    .option("--fs <mode>", "Choose where writes go: overlay, agentfs or host")
    .option("--database <file>", "With --fs agentfs, keep a new session in this file")
    .option("--session <id>", "Continue this session: id, name, or last")
    .option("--name <name>", "Continue the session of this name, or create it")
    .option("--strategy <name>", "Create the session with this strategy: kernel or clone")
    .option("--trust <level>", "Set the trust level: supervised, guided or autonomous")
    .option("--rule <rule>", "Add a rule 'allow|ask|deny TOOL(PATTERN)'; repeatable", collect)
    .option("--toolset <name>", "Load a toolset; repeatable", collect)
    .option("--allow-network <set>", "Allow commands a named set of hosts; repeatable", collect)
    .option("--config <file>", "Use this file instead of hotcell.config.json")
    .option("--state-dir <dir>", "Keep sessions and logs in this directory")
    .option("--wait <seconds>", WAIT);
}

export interface LogFlags {
  readonly log?: string;
  readonly session?: string;
  readonly stateDir?: string;
  readonly json?: boolean;
}

function withLogFlags(command: Command): Command {
  return command
    .option("--session <id>", "Read one log: session id, name, or last (default: all)")
    .option("--log <file>", "Read this log file")
    .option("--state-dir <dir>", "Keep sessions and logs in this directory")
    .option("--json", "Print compact JSON");
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function reportFailure(error: unknown, io: Io, json: boolean): ExitCode {
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help")) return 0;
  const { code, message } = describe(error);
  io.err(`hotcell: ${makeVisible(message)}\n`);
  if (json) printJson(io, { error: { code, message } }, true);
  return FAILED.has(code) ? 1 : 2;
}

/** The command was right, and could not be done just now or with this answer. */
const FAILED: ReadonlySet<string> = new Set<ErrorCode>([
  "CANCELLED",
  "COMMIT_INTERRUPTED",
  "DENIED",
  "EXECUTION_ERROR",
  "LOCKED",
  "PRECONDITION_FAILED",
]);

function describe(error: unknown): { code: string; message: string } {
  if (error instanceof HotcellError) return { code: error.code, message: error.message };
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, "").replaceAll("\n", " ");
    const hint =
      error.code === "commander.unknownCommand" && !message.endsWith(")")
        ? ". Run hotcell --help for the commands."
        : "";
    return { code: "USAGE", message: `${message}${hint}` };
  }
  return {
    code: "INTERNAL_ERROR",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}
