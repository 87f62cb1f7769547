// The repository of a worktree or a submodule, which is outside the project. The `.git` file comes with the project and
// is not trusted: the repository must be one, and must itself name the project.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { isBelow } from "../fs/path-text.ts";
import { childPath, type Root } from "../fs/paths.ts";
import { readConfigValue } from "./git-config.ts";
import { readGitFile, readSmallFile } from "./git-dir.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;

/** The directory that has the objects and references; null if commands must not or need not see one. */
export function findOutsideRepository(project: Root, apartFrom: readonly string[]): string | null {
  try {
    const gitDir = readGitFile(project);
    if (gitDir === null || fs.realpathSync(gitDir) !== gitDir) return null;
    const repository = findNamedBoth(gitDir, project.path);
    if (repository === null || !isRepositoryOf(repository, project)) return null;
    return [project.path, ...apartFrom].some((other) => overlap(repository, other)) ? null : repository;
  } catch (error) {
    if (osErrorCode(error) === undefined) throw error;
    return null;
  }
}

/** The repository of this git directory, if that names the project, too. */
function findNamedBoth(gitDir: string, project: string): string | null {
  if (isWorktreeOf(gitDir, project)) return path.dirname(path.dirname(gitDir));
  return isSubmoduleOf(gitDir, project) ? gitDir : null;
}

/** `REPOSITORY/worktrees/NAME` names the repository in `commondir`, and the project's `.git` in `gitdir`. */
function isWorktreeOf(gitDir: string, project: string): boolean {
  const worktrees = path.dirname(gitDir);
  return (
    path.basename(worktrees) === "worktrees" &&
    readPath(gitDir, "commondir") === path.dirname(worktrees) &&
    readPath(gitDir, "gitdir") === path.join(project, ".git")
  );
}

/** The repository of a submodule names the project in `core.worktree`. */
function isSubmoduleOf(gitDir: string, project: string): boolean {
  const worktree = readConfigValue(readIn(gitDir, "config", LIMITS.maxGitConfigBytes), "core", "worktree");
  return worktree !== null && path.resolve(gitDir, worktree) === project;
}

function readPath(gitDir: string, name: string): string {
  const text = readIn(gitDir, name, LIMITS.maxPathBytes + 1);
  return text === "" ? "" : path.resolve(gitDir, text.replace(/\n$/, ""));
}

/** Empty if there is no such file, or it is too large. */
function readIn(dir: string, name: string, maxBytes: number): string {
  return inDirectory(dir, (fd) => readSmallFile(fd, name, maxBytes)?.toString("utf8") ?? "");
}

function isRepositoryOf(repository: string, project: Root): boolean {
  return inDirectory(repository, (fd) => {
    const entry = (name: string) => fs.lstatSync(childPath(fd, name), { throwIfNoEntry: false });
    return (
      fs.fstatSync(fd).uid === fs.fstatSync(project.fd).uid &&
      entry("HEAD")?.isFile() === true &&
      ["objects", "refs"].every((name) => entry(name)?.isDirectory())
    );
  });
}

function inDirectory<T>(dir: string, work: (fd: number) => T): T {
  const fd = fs.openSync(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    return work(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function overlap(one: string, other: string): boolean {
  return isBelow(one, other) || isBelow(other, one);
}
