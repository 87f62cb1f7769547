// Decides by name alone which paths hold secrets or execute automatically; the file need not exist. Names are compared
// like on the most tolerant filesystem: without case, ignorable characters, or trailing dots and blanks.
import { HotcellError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { compilePathPattern, findPathPatternFault, normalizePathPattern } from "./path-pattern.ts";
import {
  matchSelfRunning,
  NESTED_NAMES,
  SELF_RUNNING_DIRECTORY_NAMES,
  type SelfRunningClass,
} from "./self-running.ts";

type NamedClass = "secret" | "credential-data" | "credential-source" | SelfRunningClass;
/** A class by name; or the mount, or `protect.readonly`, makes it read-only; or hotcell reserves the name in that mount. */
export type ProtectionClass = NamedClass | "read-only" | "read-only-path" | "reserved";

export interface Protection {
  readonly class: ProtectionClass;
  readonly read: "allow" | "refuse";
  readonly write: "allow" | "ask" | "refuse";
}

export interface ProtectOptions {
  /** Additional globs that are treated as secrets. */
  readonly secrets?: readonly string[];
  /** Globs of paths that nobody may write: tools, commands and commits. A pattern that ends in `/**` includes its directory. */
  readonly readonly?: readonly string[];
  /** Globs that are never protected, except by `readonly`. */
  readonly allow?: readonly string[];
}

export const READ_ONLY: Protection = { class: "read-only", read: "allow", write: "refuse" };
export const RESERVED: Protection = { class: "reserved", read: "refuse", write: "refuse" };

const PROTECTIONS: Readonly<Record<NamedClass, Protection>> = {
  secret: { class: "secret", read: "refuse", write: "refuse" },
  "credential-data": { class: "credential-data", read: "refuse", write: "refuse" },
  "credential-source": { class: "credential-source", read: "allow", write: "ask" },
  "self-running": { class: "self-running", read: "allow", write: "refuse" },
  ci: { class: "ci", read: "allow", write: "allow" },
  instructions: { class: "instructions", read: "allow", write: "allow" },
};

const KEY_NAME = /^id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk)$|\.(pem|key|p12|pfx|ppk|jks|keystore)$/;

/** Files that hold a credential rather than code about one: these extensions, or none (a leading dot begins none). */
const DATA_NAME = /^.[^.]*$|\.(json|txt|ya?ml|toml|ini|env|env\..*|xml|csv|conf|cfg|properties)$/s;

/** All directory names that rows test. Of a path's names only these are collected. */
const NAMES_ON_THE_WAY = new Set([...SELF_RUNNING_DIRECTORY_NAMES, ".ssh"]);

/** A path with folded names. A path that ends in `/` is a directory: rows on file names do not match it. */
interface FoldedPath {
  readonly text: string;
  readonly onTheWay: readonly string[];
  readonly last: string;
}

interface Row {
  readonly class: NamedClass;
  covers(path: FoldedPath): boolean;
}

/** git~1 is the short name of .git on a Windows drive. */
const GIT_DIRECTORY_NAMES: readonly string[] = [".git", "git~1"];

/** Whether some file system takes the name for `.git`. */
export const isGitDirectoryName = (name: string): boolean => GIT_DIRECTORY_NAMES.includes(foldName(name));

/** The first row that covers a path decides. `.git` comes before names; otherwise git could not read a branch `fix-secret`. */
const ROWS: readonly Row[] = [
  { class: "secret", covers: ({ onTheWay }) => onTheWay.includes(".ssh") },
  {
    class: "self-running",
    covers: ({ onTheWay }) => onTheWay.some((name) => GIT_DIRECTORY_NAMES.includes(name)),
  },
  { class: "secret", covers: ({ last }) => isSecretName(last) },
  { class: "ci", covers: matchSelfRunning("ci") },
  { class: "credential-data", covers: ({ last }) => speaksOfCredentials(last) && DATA_NAME.test(last) },
  { class: "self-running", covers: matchSelfRunning("self-running") },
  { class: "instructions", covers: matchSelfRunning("instructions") },
  { class: "credential-source", covers: ({ last }) => speaksOfCredentials(last) },
];

/** Takes resolved paths relative to the root, separated by `/`; returns null for unprotected paths. */
export function createProtection(options: ProtectOptions = {}): (relativePath: string) => Protection | null {
  const exempt = compileGlobs(options.allow);
  const rows: readonly Row[] = [{ class: "secret", covers: compileGlobs(options.secrets) }, ...ROWS];
  const isReadOnly = compileGlobs(options.readonly?.flatMap(withDirectory));
  const fold = createFolder();
  return (relativePath) => {
    const path = fold(relativePath);
    const row = exempt(path) ? undefined : rows.find((candidate) => candidate.covers(path));
    const found = row ? PROTECTIONS[row.class] : null;
    if (!isReadOnly(path)) return found;
    return found?.read === "refuse" ? HIDDEN_READ_ONLY : READ_ONLY_PATH;
  };
}

const READ_ONLY_PATH: Protection = { class: "read-only-path", read: "allow", write: "refuse" };
const HIDDEN_READ_ONLY: Protection = { ...READ_ONLY_PATH, read: "refuse" };

/** A directory that can be renamed is not read-only. */
const withDirectory = (glob: string): string[] =>
  glob.endsWith("/**") ? [glob, glob.slice(0, -"/**".length)] : [glob];

/** Paths to judge for a link besides its own. Some rows test directory names, and a link may stand for a directory. */
export function pathsBehindLink(path: string): string[] {
  return ["*", ...NESTED_NAMES.map((name) => `${name}/*`)].map((below) => `${path}/${below}`);
}

function compileGlobs(globs: readonly string[] = []): (path: FoldedPath) => boolean {
  const patterns = globs.map((glob) => {
    const fault = findPathPatternFault(glob);
    if (fault !== null) {
      throw new HotcellError("POLICY_INVALID", `Could not use the protected path ${quote(glob)}: ${fault}.`, {
        glob,
      });
    }
    return compilePathPattern(foldPath(normalizePathPattern(glob)).text);
  });
  return ({ text }) => patterns.some((matches) => matches(text));
}

/** Folds paths one after the other, and folds the directory of consecutive paths only once. */
function createFolder(): (path: string) => FoldedPath {
  let directory = "";
  let above = foldPath("");
  return (path) => {
    const behind = path.lastIndexOf("/") + 1;
    if (behind !== directory.length || !path.startsWith(directory)) {
      directory = path.slice(0, behind);
      above = foldPath(directory);
    }
    const last = foldName(path.slice(behind));
    if (last === "") return above;
    const text = directory === "" ? last : `${above.text}/${last}`;
    const onTheWay = NAMES_ON_THE_WAY.has(last) ? [...above.onTheWay, last] : above.onTheWay;
    return { text, onTheWay, last };
  };
}

function foldPath(path: string): FoldedPath {
  const names = path.split("/").map(foldName);
  const last = names.at(-1)!;
  if (last === "") names.pop();
  return { text: names.join("/"), onTheWay: names.filter((name) => NAMES_ON_THE_WAY.has(name)), last };
}

/** Matches most names: only the case of ASCII letters has to be folded. */
const PLAIN_NAME = /^[!-~]*[!-\-/-~]$/;

// Converts to upper case first, because ſ and the Kelvin sign map to plain letters only there.
function foldName(name: string): string {
  if (PLAIN_NAME.test(name)) return name.toLowerCase();
  const visible = name.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible
    .toUpperCase()
    .toLowerCase()
    .replace(/[.\s]+$/, "");
}

function isSecretName(name: string): boolean {
  if (name.startsWith(".env.")) return name !== ".env.example";
  return name === ".env" || name === ".netrc" || KEY_NAME.test(name);
}

function speaksOfCredentials(name: string): boolean {
  return name.includes("credential") || name.includes("secret");
}
