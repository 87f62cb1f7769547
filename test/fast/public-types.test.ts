// Every type that the declaration of an exported name uses is exported too, so that a program can name it.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../kit/worlds/document.ts";

const ENTRIES = ["index", "agent", "mcp", "server", "testing"];

/** Types that a program never has to name. */
const INTERNAL = new Set([
  // The tables from which exported types are derived.
  "ERRORS",
  "DECIDED_BY_HOST",
  "HTTP_TOOL",
  "INLINE_TOOL",
  // The bodies of two unions whose members all have one more field.
  "AgentEventBody",
  "ChunkBody",
  // A part of a union that is exported.
  "NamedClass",
  // How the types of built-in calls and of a tool's arguments are computed.
  "Described",
  "Flat",
  "Mounts",
  "RequestOf",
  "Sidecar",
  "Studio",
  "Unchecked",
  // A capability of built-in tools only.
  "SessionKit",
  "SessionPreview",
  // How hotcell itself starts a background process.
  "BackgroundRun",
  "RefusedSoFar",
  // The function that an author of a workspace passes.
  "Open",
]);

/** Paths of declaration files, without `.d.ts`, to their text. */
type Declarations = ReadonlyMap<string, string>;

test("no exported declaration uses a type that is not exported", () => {
  expect(findHiddenTypes(readDeclarations(), ENTRIES)).toEqual([]);
});

test("control: a hidden type is found, in the same file or imported", () => {
  const declarations = new Map([
    ["index", 'export { open } from "./a.ts";\nexport type { Shown as Seen } from "./a.ts";'],
    [
      "a",
      'import type { Far, Unused } from "./b.ts";\nexport interface Shown { readonly far: Far }\nexport interface Near {}\nexport declare function open(near: Near, shown: Shown, date: Date): void;\n',
    ],
    ["b", "export interface Far { readonly inner: Inner }\ninterface Inner {}\nexport interface Unused {}"],
  ]);
  expect(findHiddenTypes(declarations, ["index"])).toEqual(["Shown uses Far", "open uses Near"]);
  declarations.set("index", `${declarations.get("index")}\nexport type { Far } from "./b.ts";`);
  expect(findHiddenTypes(declarations, ["index"])).toEqual(["Far uses Inner", "open uses Near"]);
});

function findHiddenTypes(declarations: Declarations, entries: readonly string[]): string[] {
  const isPublic = new Set(entries.flatMap((entry) => exportedNames(declarations.get(entry)!)));
  return [...declarations]
    .flatMap(([, text]) => {
      const visible = new Set([...importedNames(text), ...definitionsOf(text).map(({ name }) => name)]);
      const isHidden = (name: string) => visible.has(name) && !isPublic.has(name) && !INTERNAL.has(name);
      return definitionsOf(text)
        .filter(({ name }) => isPublic.has(name))
        .flatMap(({ name, body }) =>
          [...new Set(body.match(/\b[A-Z]\w*/g))].filter(isHidden).map((hidden) => `${name} uses ${hidden}`),
        );
    })
    .sort();
}

function readDeclarations(): Declarations {
  const dist = path.join(ROOT, "dist");
  const names = readdirSync(dist, { recursive: true, encoding: "utf8" });
  return new Map(
    names
      .filter((name) => name.endsWith(".d.ts"))
      .map((name) => [name.slice(0, -".d.ts".length), withoutComments(path.join(dist, name))]),
  );
}

function withoutComments(file: string): string {
  return readFileSync(file, "utf8").replace(/\/\*.*?\*\//gs, "");
}

/** The names under which the files that define them know the exports of an entry. */
function exportedNames(entry: string): string[] {
  return [...entry.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => originalNames(list!));
}

function importedNames(text: string): string[] {
  return [...text.matchAll(/^import (?:type )?\{([^}]*)\} from "\./gm)].flatMap(([, list]) =>
    originalNames(list!),
  );
}

function originalNames(list: string): string[] {
  return list.split(",").flatMap((part) => /^\s*(?:type )?(\w+)/.exec(part)?.[1] ?? []);
}

function definitionsOf(text: string): { readonly name: string; readonly body: string }[] {
  const pattern =
    /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)(.*?)(?=^export |^declare |^interface |^type |^import |$(?![\s\S]))/gms;
  return [...text.matchAll(pattern)].map(([, name, body]) => ({
    name: name!,
    body: body!.replace(/"[^"]*"/g, ""),
  }));
}
