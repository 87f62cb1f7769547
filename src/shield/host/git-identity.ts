// The user's name and email from git's configuration, for commits that commands make.
import fs from "node:fs";
import path from "node:path";
import { LIMITS } from "../../core/limits.ts";
import { openRegularFile } from "../../core/open-regular-file.ts";
import { readConfigValue } from "../../workspace/git/git-config.ts";

export interface GitIdentity {
  readonly name: string | null;
  readonly email: string | null;
}

/** The user's own settings; a project's `.git/config` is read by git itself, and overrides them. */
export function readGitIdentity(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): GitIdentity {
  const xdg = env.XDG_CONFIG_HOME ?? "";
  const configHome = path.isAbsolute(xdg) ? xdg : path.join(home, ".config");
  const files = [path.join(configHome, "git/config"), path.join(home, ".gitconfig")];
  const found = files.map((file) => parseGitIdentity(readBounded(file)));
  const last = (key: keyof GitIdentity) =>
    found.findLast((identity) => identity[key] !== null)?.[key] ?? null;
  return { name: last("name"), email: last("email") };
}

/** The file for the home of commands; empty if nothing is known. */
export function gitConfigText({ name, email }: GitIdentity): string {
  const lines = Object.entries({ name, email }).filter(([, value]) => value !== null);
  if (lines.length === 0) return "";
  const quoted = (value: string | null) => `"${value!.replace(/[\\"]/g, "\\$&")}"`;
  return ["[user]", ...lines.map(([key, value]) => `\t${key} = ${quoted(value)}`), ""].join("\n");
}

function readBounded(file: string): string {
  try {
    const opened = openRegularFile(file);
    if (opened === null) return "";
    try {
      const bytes = Buffer.alloc(LIMITS.maxGitConfigBytes);
      return bytes.toString("utf8", 0, fs.readSync(opened.fd, bytes));
    } finally {
      fs.closeSync(opened.fd);
    }
  } catch {
    return "";
  }
}

/** Values that no commit can have count as missing. */
export function parseGitIdentity(text: string): GitIdentity {
  return {
    name: usable(readConfigValue(text, "user", "name")),
    email: usable(readConfigValue(text, "user", "email")),
  };
}

function usable(value: string | null): string | null {
  return value !== null && /^[^\p{C}<>]{1,256}$/u.test(value) ? value : null;
}
