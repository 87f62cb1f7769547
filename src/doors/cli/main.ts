import { Command, CommanderError } from "commander";
import { type ErrorCode, HotcellError } from "../../core/errors.ts";
import { makeVisible } from "../../core/quote.ts";
import { WIRE_FORMATS } from "../../tools/definitions.ts";
import { type ExitCode, type Io, printJson } from "./io.ts";
import { createNodeIo } from "./node-io.ts";
import { addSessionCommands } from "./session/session-commands.ts";
import type { SessionFlags } from "./session/session-place.ts";

/** Flags that every command with a cell takes. */
export interface CellFlags {
  readonly workspace?: string;
  readonly config?: string;
  readonly fs?: string;
  readonly session?: string;
  readonly strategy?: string;
  readonly trust?: string;
  readonly rule?: readonly string[];
  readonly toolset?: readonly string[];
  readonly stateDir?: string;
  readonly json?: boolean;
}

/** Runs one command line. Exit 0: done; 1: the tool or check failed; 2: wrong use; of `exec`, what the command gave. */
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
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: () => {} })
    .addHelpText("after", EXAMPLES);

  withCellFlags(program.command("call"))
    .description("Call a tool and print the observation")
    .argument("<tool>", "Name of the tool")
    .argument("[arguments]", 'JSON object, or "-" to read it from standard input')
    .action(async (tool: string, given: string | undefined, flags: CellFlags) => {
      const { callTool } = await import("./call-tool.ts");
      done(await callTool(io, tool, given, flags));
    });

  withCellFlags(program.command("tools"))
    .description("List tools, or print their definitions")
    .option("--format <wire>", `Print definitions for ${WIRE_FORMATS.join(", ")}`)
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

  addSessionCommands(program, io, done);

  program
    .command("doctor")
    .description("Check how this machine sandboxes commands")
    .option("--state-dir <dir>", "Keep sessions in this directory")
    .option("--json", "Print compact JSON")
    .action(async (flags: SessionFlags) => {
      const { runDoctor } = await import("./doctor.ts");
      done(await runDoctor(io, flags));
    });

  const audit = program
    .command("audit")
    .description("Show and verify the log")
    .helpCommand("help [command]", HELP);
  withLogFlags(audit.command("show"))
    .description("Show the records of the log")
    .action(async (flags: LogFlags) => {
      const { showLogs } = await import("./audit.ts");
      done(showLogs(io, flags));
    });
  withLogFlags(audit.command("verify"))
    .description("Verify that nobody changed the log")
    .action(async (flags: LogFlags) => {
      const { verifyLogs } = await import("./audit.ts");
      done(verifyLogs(io, flags));
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
  return program;
}

const HELP = "Show help";

const EXAMPLES = `
Examples:
  hotcell call read_file '{"path":"README.md","start_line":1,"end_line":5}'
  hotcell call write_file '{"path":"notes.md","content":"hi"}' --rule 'allow write_file(*.md)'
  hotcell exec -- npm test
  hotcell policy explain write_file '{"path":".env","content":""}'
  hotcell audit verify

Exit status: 0 done, 1 the tool or check failed, 2 wrong use.`;

function withCellFlags(command: Command): Command {
  return withPlaceFlags(command).option("--json", "Print compact JSON");
}

function withPlaceFlags(command: Command): Command {
  return command
    .option("--workspace <dir>", "Use this project (default: the current directory)")
    .option("--fs <mode>", "Write to a session (overlay, default) or the project (host)")
    .option("--session <id>", "Continue this session: its id, or last")
    .option("--strategy <name>", "Create the session with this strategy: kernel or clone")
    .option("--trust <level>", "Set the trust level: supervised, guided or autonomous")
    .option("--rule <rule>", "Add a rule 'allow|ask|deny TOOL(PATTERN)'; repeatable", collect)
    .option("--toolset <name>", "Load a toolset; repeatable", collect)
    .option("--config <file>", "Use this file instead of hotcell.config.json")
    .option("--state-dir <dir>", "Keep sessions and logs in this directory");
}

export interface LogFlags {
  readonly log?: string;
  readonly session?: string;
  readonly stateDir?: string;
  readonly json?: boolean;
}

function withLogFlags(command: Command): Command {
  return command
    .option("--session <id>", "Read the log of one session (default: all)")
    .option("--log <file>", "Read this log file")
    .option("--state-dir <dir>", "Keep sessions and logs in this directory")
    .option("--json", "Print compact JSON");
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function reportFailure(error: unknown, io: Io, json: boolean): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
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
    const message = error.message.replace(/^error: /, "");
    return {
      code: "USAGE",
      message: message === "(outputHelp)" ? "Give a command: see hotcell --help." : message,
    };
  }
  return {
    code: "INTERNAL_ERROR",
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}
