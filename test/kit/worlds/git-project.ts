// Projects with a git repository, as real git makes them.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const ENV = {
  PATH: process.env.PATH!,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

/** Runs git as a user would, outside any cell. */
export function git(root: string, ...args: string[]): string {
  return execFileSync("git", ["-c", "safe.directory=*", ...args], {
    cwd: root,
    env: ENV,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), content);
  }
}

/** Commits everything in a directory as a new repository. */
export function initRepository(root: string, ...options: string[]): void {
  git(root, "init", "-q", "-b", "main", ...options);
  git(root, "add", "-A", "-f");
  git(root, "commit", "-q", "-m", "first");
}
