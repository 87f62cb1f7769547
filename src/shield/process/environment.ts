// The environment of commands: a short allow list, or a given environment without secrets and without variables that
// control programs.
import os from "node:os";
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { quote } from "../../core/quote.ts";
import { createRedactor } from "../../log/redact.ts";
import { SYSTEM_PATH } from "./system-root.ts";

/** PATH, HOME, and the secrets that are configured for a tool. It passes on nothing of our own environment. */
export function envFor(secrets: Readonly<Record<string, string>>): Record<string, string> {
  if (!isJsonObject(secrets))
    throw refused("give a command its secrets", `they are ${quote(secrets)}; allowed is an object`);
  for (const [name, value] of Object.entries(secrets)) checkSecret(name, value);
  return { PATH: SYSTEM_PATH, HOME: os.homedir(), ...secrets };
}

/** Returns a copy without credentials and without variables that make programs load or run code. */
export function sanitizeEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  if (!isJsonObject(env)) throw refused("clean the environment", `it is ${quote(env)}; allowed is an object`);
  const wrong = Object.entries(env).find(([, value]) => value !== undefined && typeof value !== "string");
  if (wrong !== undefined)
    throw refused("clean the environment", `the value of ${quote(wrong[0])} is no text`);
  const { redact } = createRedactor();
  const isHarmless = (name: string, value: string) =>
    !SECRET_NAME.test(name) && !STEERING_NAME.test(name) && redact(value) === value;
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && isHarmless(entry[0], entry[1]),
    ),
  );
}

function checkSecret(name: string, value: string): void {
  const problem = findProblem(name, value);
  if (problem === null) return;
  throw refused(`give a command the secret ${quote(name)}`, problem);
}

function refused(action: string, problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not ${action}: ${problem}.`);
}

function findProblem(name: string, value: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return "the name of a variable has only letters, digits and underscores; rename it";
  if (name === "PATH" || name === "HOME") return "hotcell sets this variable for every command; rename it";
  if (STEERING_NAME.test(name)) return "it would make programs load or run something; rename it";
  if (typeof value !== "string") return "its value is no text";
  if (value.includes("\0")) return "its value contains a NUL character; remove it";
  return null;
}

/** Whole words where a part would match other names: AUTHOR, PATH, KEYBOARD, COMPASS, SECRETARY. PWD is a directory. */
const SECRET_NAME = new RegExp(
  [
    "(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION)[_-]?KEY",
    "TOKEN(?!IZER)|SECRET(?!ARY)|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|COOKIE|AUTHORIZATION|CONNECTION_?STRING",
    "(?:^|_)(?:KEYS?|AUTH|PAT|PASS|DSN)(?:_|$)|_PWD$|PASSFILE",
    // Access to credentials: agents, daemons, credential files.
    "^(?:KUBECONFIG|NETRC|DOCKER_HOST|DOCKER_CONFIG|DBUS_\\w+_ADDRESS|GNUPGHOME|GPG_AGENT_INFO|XAUTHORITY|XDG_RUNTIME_DIR)$",
    "^(?:HISTFILE|\\w+_HISTFILE|\\w+_HISTORY)$",
  ].join("|"),
  "i",
);

const STEERING_NAME = new RegExp(
  [
    // The dynamic loader and the C library.
    "^(?:LD|DYLD)_|^(?:GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|MALLOC_\\w+|GLIBC_TUNABLES)$",
    "^(?:ENV|IFS|CDPATH|GLOBIGNORE|PS4|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_ENV|ZDOTDIR)$|^BASH_FUNC_|%%$",
    "^NODE_(?:OPTIONS|PATH|REPL\\w*)$|^NPM_CONFIG_|^PYTHON(?!UNBUFFERED$|IOENCODING$|HASHSEED$|UTF8$)",
    "^(?:PERL5\\w*|PERLLIB|PERLIO\\w*|RUBYOPT|RUBYLIB|GEM_(?:HOME|PATH)|BUNDLE_\\w+|LUA_(?:INIT|C?PATH)\\w*|PHPRC|PHP_INI_\\w+)$",
    "^(?:CLASSPATH|_?JAVA_(?:TOOL_)?OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|RUSTC\\w*|RUSTFLAGS|CARGO_\\w+|GOFLAGS|MAKEFLAGS)$",
    "^GIT_(?!(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$|TERMINAL_PROMPT$)|^SSH_",
    "^(?:\\w*(?:EDITOR|PAGER)|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|\\w*ASKPASS|VIMINIT|EXINIT|MYVIMRC|INPUTRC)$",
  ].join("|"),
  "i",
);
