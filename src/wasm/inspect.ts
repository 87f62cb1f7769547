// Reads what a module imports, exports and declares, without running any of it.

import { refuseModule } from "./bytes.ts";
import {
  type ModuleExport,
  type ModuleImport,
  readBounds,
  readExports,
  readerOf,
  readImports,
  readSections,
  SECTION,
} from "./sections.ts";

export interface ModuleContract {
  /** The functions that hotcell gives, by module name. */
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>;
  /** A function that the module must export. */
  readonly entry: string;
  readonly maxMemoryPages: number;
}

export interface InspectedModule {
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
  /** Of 64 KiB, which the module declares at its start. */
  readonly memoryPages: number;
}

/** Throws INVALID_MODULE, with section, found and allowed, if the module does not keep the contract. */
export function inspectModule(bytes: Uint8Array, contract: ModuleContract): InspectedModule {
  const sections = readSections(bytes);
  const read = <T>(id: number, work: (reader: ReturnType<typeof readerOf>) => T, otherwise: T): T => {
    const section = sections.find((candidate) => candidate.id === id);
    return section === undefined ? otherwise : work(readerOf(bytes, section));
  };
  const imports = read(SECTION.import, readImports, []);
  for (const wanted of imports) checkImport(wanted, contract);
  const exports = read(SECTION.export, readExports, []);
  const memories = read(
    SECTION.memory,
    (reader) => Array.from({ length: reader.u32() }, () => readBounds(reader, "memory")),
    [],
  );
  if (memories.length !== 1) refuseModule("memory section", `${memories.length} memories`, "one memory");
  const { min } = memories[0]!;
  if (min > contract.maxMemoryPages)
    refuseModule(
      "memory section",
      `${min} pages (${min / 16} MiB) at the start`,
      `at most ${contract.maxMemoryPages} (${contract.maxMemoryPages / 16} MiB); limits.memory in the manifest of a tool can allow more`,
    );
  checkExports(exports, contract);
  return { imports, exports, memoryPages: min };
}

function checkImport({ module, name, kind }: ModuleImport, { imports }: ModuleContract): void {
  const found = `the import "${module}"."${name}"`;
  const known = imports.get(module);
  if (kind !== "function")
    refuseModule("import section", `${found} (a ${kind})`, "functions only: hotcell shares no memory");
  if (known === undefined)
    refuseModule(
      "import section",
      found,
      `the modules ${[...imports.keys()].map((given) => `"${given}"`).join(", ")}`,
    );
  if (!known.has(name))
    refuseModule("import section", found, `the functions that ${module} has here: no sockets, no signals`);
}

function checkExports(exports: readonly ModuleExport[], { entry }: ModuleContract): void {
  const names = exports.map(({ name }) => `"${name}"`).join(", ") || "none";
  const has = (wanted: string, kind: string) =>
    exports.some((given) => given.name === wanted && given.kind === kind);
  if (!has("memory", "memory")) refuseModule("export section", names, 'the memory as "memory"');
  if (!has(entry, "function"))
    refuseModule("export section", names, `the function "${entry}" (a command, not a library)`);
}
