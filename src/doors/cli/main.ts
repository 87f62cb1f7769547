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
    .description("Run the tools that a language model asks for, safely, on this machine.")
    .usage("COMMAND [OPTIONS]")
    .option("-V, --version", "print the version")
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: () => {} })
    .addHelpText("after", EXAMPLES);

  withCellFlags(program.command("call"))
    .description("send one call through the whole pipeline and print the observation")
    .argument("<tool>", "name of the tool")
    .argument("[arguments]", 'JSON arguments, or "-" to read them from standard input')
    .action(async (tool: string, given: string | undefined, flags: CellFlags) => {
      const { callTool } = await import("./call-tool.ts");
      done(await callTool(io, tool, given, flags));
    });

  withCellFlags(program.command("tools"))
    .description("print the tools, or their definitions for a model's wire")
    .option("--format <wire>", WIRE_FORMATS.join(", "))
    .action(async (flags: CellFlags & { format?: string }) => {
      const { printTools } = await import("./print-tools.ts");
      done(await printTools(io, flags));
    });

  withPlaceFlags(program.command("exec"))
    .description("run a command in the cell yourself: shielded, but without rules; its exit code is given on")
    .usage("[OPTIONS] -- COMMAND [ARGUMENTS]")
    .argument("[command...]", "the program and its arguments")
    .action(async (argv: string[], flags: CellFlags) => {
      const { execCommand } = await import("./exec.ts");
      done(await execCommand(io, argv, flags));
    });

  addSessionCommands(program, io, done);

  program
    .command("doctor")
    .description("see how well this machine can shield commands, and how that can be changed")
    .option("--state-dir <dir>", "where sessions are kept")
    .option("--json", "one compact JSON document on standard output")
    .action(async (flags: SessionFlags) => {
      const { runDoctor } = await import("./doctor.ts");
      done(await runDoctor(io, flags));
    });

  const audit = program.command("audit").description("look at the log, and check that nobody changed it");
  withLogFlags(audit.command("show"))
    .description("print the log's records")
    .action(async (flags: LogFlags) => {
      const { showLogs } = await import("./audit.ts");
      done(showLogs(io, flags));
    });
  withLogFlags(audit.command("verify"))
    .description("find edits, removals, reordering and truncation")
    .action(async (flags: LogFlags) => {
      const { verifyLogs } = await import("./audit.ts");
      done(verifyLogs(io, flags));
    });

  const policy = program.command("policy").description("see what the rules decide");
  withCellFlags(policy.command("explain"))
    .description("say what would be decided of a call, and by which rule; nothing runs")
    .argument("<tool>", "name of the tool")
    .argument("[arguments]", "JSON arguments")
    .action(async (tool: string, given: string | undefined, flags: CellFlags) => {
      const { explainPolicy } = await import("./policy.ts");
      done(await explainPolicy(io, tool, given, flags));
    });
  withCellFlags(policy.command("test"))
    .description("run a file of calls with expected decisions")
    .argument("<file>", "JSON file, see docs/policy.md")
    .action(async (file: string, flags: CellFlags) => {
      const { testPolicy } = await import("./policy.ts");
      done(await testPolicy(io, file, flags));
    });
  return program;
}

const EXAMPLES = `
Examples:
  hotcell call read_file '{"path":"README.md","start_line":1,"end_line":5}'
  hotcell call write_file '{"path":"notes.md","content":"hi"}' --rule 'allow write_file(*.md)'
  hotcell exec -- npm test
  hotcell policy explain write_file '{"path":".env","content":""}'
  hotcell audit verify

Exit status: 0 done, 1 the tool or check failed, 2 wrong use.`;

function withCellFlags(command: Command): Command {
  return withPlaceFlags(command).option("--json", "one compact JSON document on standard output");
}

function withPlaceFlags(command: Command): Command {
  return command
    .option("--workspace <dir>", "the project that the cell works on (default: here)")
    .option("--fs <mode>", "overlay: changes go into a session (default); host: into the project itself")
    .option("--session <id>", "go on with this session (its id, or last), instead of a new one")
    .option("--strategy <name>", "of a new session, kernel or clone: see hotcell session create --help")
    .option("--trust <level>", "supervised, guided or autonomous: when to ask")
    .option("--rule <rule>", "'allow|ask|deny TOOL(PATTERN)'; repeatable", collect)
    .option("--toolset <name>", "family of tools to load; repeatable", collect)
    .option("--config <file>", "configuration to use instead of the workspace's hotcell.config.json")
    .option("--state-dir <dir>", "where logs are kept");
}

export interface LogFlags {
  readonly log?: string;
  readonly session?: string;
  readonly stateDir?: string;
  readonly json?: boolean;
}

function withLogFlags(command: Command): Command {
  return command
    .option("--session <id>", "the log of one session, instead of all in the state directory")
    .option("--log <file>", "one log, wherever it is")
    .option("--state-dir <dir>", "where logs are kept")
    .option("--json", "one compact JSON document on standard output");
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
