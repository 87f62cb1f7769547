import type { Command } from "commander";
import type { Io } from "../io.ts";
import type { CallFlags } from "../main.ts";

export interface ToolFlags extends CallFlags {
  readonly input?: string;
  readonly grant?: readonly string[];
}

export interface NewToolFlags {
  readonly lang?: string;
  readonly dir?: string;
}

export interface WasmRunFlags {
  readonly env?: readonly string[];
  readonly dir?: readonly string[];
}

export const DETERMINISTIC = "Record calls of wasm tools for audit replay";

const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** `hotcell tool` and `hotcell wasm`. */
export function addToolCommands(
  program: Command,
  io: Io,
  done: (code: number) => void,
  withCellFlags: (command: Command) => Command,
): void {
  const tool = program
    .command("tool")
    .description("Write, build, run and test wasm tools")
    .helpCommand("help [command]", "Show help");
  tool
    .command("new")
    .description("Make the folder of a new tool")
    .argument("<name>", "Name of the tool")
    .option("--lang <language>", "Write it in js (default), c or as (AssemblyScript)")
    .option("--dir <dir>", "Make this folder (default: the name)")
    .action(async (name: string, flags: NewToolFlags) => {
      const { newTool } = await import("./new-tool.ts");
      done(newTool(io, name, flags));
    });
  tool
    .command("build")
    .description("Compile a tool, and put the hash of its code into its manifest")
    .argument("<dir>", "Folder of the tool")
    .action(async (dir: string) => {
      const { buildTool } = await import("./build-tool.ts");
      done(await buildTool(io, dir));
    });
  withCellFlags(tool.command("run"))
    .description("Run a tool once, in a session of its own, and show the result, its fuel and the diff")
    .argument("<dir>", "Folder of the tool")
    .option("--input <json>", "Its input, a JSON object (default: {})")
    .option(
      "--grant <capability>",
      "Grant filesystem=read|write, model_access, network=HOST or env=NAME; repeatable",
      collect,
    )
    .option("--deterministic", DETERMINISTIC)
    .action(async (dir: string, flags: ToolFlags) => {
      const { runTool } = await import("./run-tool.ts");
      done(await runTool(io, dir, flags));
    });
  tool
    .command("test")
    .description("Run the cases of a tool: cases/*.json in its folder")
    .argument("<dir>", "Folder of the tool")
    .option("--watch", "Build and test again whenever a file in the folder changes")
    .action(async (dir: string, flags: { readonly watch?: boolean }) => {
      const { testTool } = await import("./test-tool.ts");
      const { watchTool } = await import("./watch-tool.ts");
      done(await (flags.watch === true ? watchTool : testTool)(io, dir));
    });

  // Options after the module's name are the module's.
  program.enablePositionalOptions();
  const wasm = program
    .command("wasm")
    .description("Run WebAssembly modules")
    .helpCommand("help [command]", "Show help");
  wasm
    .enablePositionalOptions()
    .command("run")
    .description("Run a WASI preview1 command in the sandbox of wasm tools")
    .usage("[OPTIONS] FILE [ARGUMENTS]")
    .argument("<file>", "The module")
    .argument("[arguments...]", "Its arguments")
    .option("--env <name=value>", "Give it a variable; repeatable", collect)
    .option("--dir <host::guest>", "Show it a directory, which it may change; repeatable", collect)
    .passThroughOptions()
    .addHelpText("after", "\nExit status: that of the module; 134 if it failed or was ended.")
    .action(async (file: string, args: string[], flags: WasmRunFlags) => {
      const { runWasm } = await import("./run-wasm.ts");
      done(await runWasm(io, file, args, flags));
    });
}
