import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { HotcellError } from "../../../core/errors.ts";
import { type Io, printNotes } from "../io.ts";
import { outsideProject } from "../outside-project.ts";

interface Compiler {
  readonly source: string;
  readonly program: (folder: string) => string;
  readonly args: readonly string[];
  /** What the compiler says if a part of it is not installed. */
  readonly missing: RegExp;
  readonly install: (folder: string) => string;
}

/** The folder of `hotcell.h`. */
const HEADERS = fileURLToPath(new URL("../../../../tools/", import.meta.url));
const PACKAGES = "clang lld wasi-libc libclang-rt-dev-wasm32";

const COMPILERS: readonly Compiler[] = [
  {
    source: "tool.c",
    program: () => "clang",
    args: [
      "--target=wasm32-wasi",
      "-O2",
      "-Wall",
      "-isystem",
      HEADERS,
      "-Wl,--strip-all",
      "-o",
      "tool.wasm",
      "tool.c",
    ],
    missing:
      /'(bits\/alltypes|assert|ctype|errno|math|stdio|stdint|stdlib|string)\.h' file not found|wasm-ld.*(doesn't exist|not found)|cannot open .*(crt1|libclang_rt)|unable to find library -lc/,
    install: () => `sudo apt-get install ${PACKAGES}`,
  },
  {
    source: "tool.ts",
    program: (folder) => path.join(folder, "node_modules/.bin/asc"),
    args: ["tool.ts", "--outFile", "tool.wasm", "--optimize", "--runtime", "stub", "--use", "abort="],
    missing: /Cannot find package/,
    install: (folder) => `npm install --prefix ${folder}`,
  },
];

/** Makes tool.wasm of the source in the folder, if there is one. What the compiler says is shown. */
export function compileTool(io: Io, folder: string): void {
  const compiler = COMPILERS.find(({ source }) => fs.existsSync(path.join(folder, source)));
  if (compiler === undefined) return;
  const { source, program, args, missing, install } = compiler;
  const { error, status, stdout, stderr } = spawnSync(program(folder), args, {
    cwd: folder,
    env: outsideProject(io.env, folder),
    encoding: "utf8",
  });
  const name = path.basename(program(folder));
  if (error !== undefined) throw failed(`${name} is not installed. Run: ${install(folder)}`);
  const said = `${stdout}${stderr}`.trim();
  if (said !== "") printNotes(io, ...said.split("\n"));
  if (status === 0) return;
  if (missing.test(said)) throw failed(`a part of ${name} is not installed. Run: ${install(folder)}`);
  throw failed(`${name} refused ${source}, for the reason above`);
}

function failed(problem: string): HotcellError {
  return new HotcellError("EXECUTION_ERROR", `Could not compile the tool: ${problem}`);
}
