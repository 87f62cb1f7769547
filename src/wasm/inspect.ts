// Reads what a module imports, exports and declares, without running any of it.

import { refuseModule } from "./bytes.ts";
import {
  type FunctionType,
  formatType,
  type ModuleExport,
  type ModuleImport,
  readBounds,
  readExports,
  readerOf,
  readImports,
  readSections,
  readTypes,
  SECTION,
} from "./sections.ts";

export interface ModuleContract {
  /** The types of the functions that hotcell gives, by module name and name. */
  readonly imports: ReadonlyMap<string, ReadonlyMap<string, string>>;
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
  const types = read(SECTION.type, readTypes, []);
  for (const wanted of imports) checkImport(wanted, types, contract);
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

function checkImport(
  { module, name, kind, type }: ModuleImport,
  types: readonly FunctionType[],
  { imports }: ModuleContract,
): void {
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
  const allowed =
    known.get(name) ??
    refuseModule("import section", found, `the functions that ${module} has here: no sockets, no signals`);
  const own = types[type];
  const written = own === undefined ? "that the module does not have" : formatType(own.params, own.results);
  if (written !== allowed) refuseModule("import section", `${found} of the type ${written}`, allowed);
}

function checkExports(exports: readonly ModuleExport[], { entry }: ModuleContract): void {
  const names = exports.map(({ name }) => `"${name}"`).join(", ") || "none";
  const has = (wanted: string, kind: string) =>
    exports.some((given) => given.name === wanted && given.kind === kind);
  if (!has("memory", "memory")) refuseModule("export section", names, 'the memory as "memory"');
  if (!has(entry, "function"))
    refuseModule("export section", names, `the function "${entry}" (a command, not a library)`);
}
