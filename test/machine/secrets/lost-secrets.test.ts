// An agent's commits that remove a hidden secret from git need a separate confirmation, however the agent made them.
import { describe, expect, test } from "vitest";
import { git, writeFiles } from "../../kit/worlds/git-project.ts";
import { openOn, tlsProject, WAYS } from "../../kit/worlds/tls-project.ts";

/** Git in a command; its home has no name and email in tests. */
const SETUP =
  "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; cp .git/index /tmp/i";
const RESTORE = "cp /tmp/i .git/index";

/** Git has `.env` since the second commit, and the user has changed it. */
function changedProject(): string {
  const root = tlsProject();
  git(root, "rm", "-q", "--cached", ".env");
  git(root, "commit", "-q", "--amend", "-m", "without");
  git(root, "add", ".env");
  git(root, "commit", "-q", "-m", "with");
  writeFiles(root, { ".env": "TOKEN=CANARY\n" });
  return root;
}

/** In a packed repository git writes no tree again that it has in a pack, as that of the commit without `.env`. */
const REPOSITORIES = [
  ["loose objects", () => {}],
  ["packed objects", (root: string) => git(root, "gc", "-q")],
] as const;
const CASES = WAYS.slice(0, 2).flatMap(([way, options]) =>
  REPOSITORIES.map(([objects, pack]) => [way, objects, options, pack] as const),
);

describe.each(CASES)("with %s and %s", (_way, _objects, options, pack) => {
  test.each([
    ["made with commit -am", "git commit -qam change"],
    ["whose index is put back", `git commit -qam change; ${RESTORE}`],
    ["made after rm --cached", `git rm -q --cached .env; git commit -qm change; ${RESTORE}`],
    ["that amends the last one", `echo x >> package.json; git commit -q -a --amend -m change; ${RESTORE}`],
    [
      "made without the index, by update-ref",
      "git update-ref HEAD $(git commit-tree -p HEAD -m x $(git ls-tree HEAD | grep -v .env$ | git mktree))",
    ],
    [
      "on the branch that HEAD has left",
      `git commit -qam change; git update-ref --no-deref HEAD HEAD~1; ${RESTORE}`,
    ],
    ["on a new branch that HEAD names", `git checkout -q -b x; git commit -qam change; ${RESTORE}`],
    ["in packed refs", `git commit -qam change; git pack-refs --all; ${RESTORE}`],
    ["in a pack", `git commit -qam change; git gc -q; ${RESTORE}`],
    ["in the stash", `echo x >> package.json; git stash -q; ${RESTORE}`],
    ["that the project had before", `git update-ref HEAD HEAD~1; ${RESTORE}`],
  ])("a commit without the secret %s", async (_name, script) => {
    const root = changedProject();
    pack(root);
    const { cell, run } = await openOn(root, options);
    expect((await run(`${SETUP}; ${script}`)).output?.exit_code).toBe(0);
    const before = git(root, "rev-parse", "main", "HEAD");
    expect((await cell.plan()).lostSecrets).toContain(".env");
    await cell.commit({ allowProtected: true });
    expect(git(root, "rev-parse", "main", "HEAD")).toBe(before);
    expect(git(root, "ls-tree", "--name-only", "HEAD", ".env")).toBe(".env\n");
  });

  test.each([
    ["a commit that keeps it", "echo x >> package.json; git commit -qm change package.json"],
    ["a new branch", "git checkout -q -b other"],
    ["a tag", "git tag -a -m x v1"],
    ["packed refs and objects", "git gc -q"],
  ])("%s needs no separate confirmation", async (_name, script) => {
    const root = changedProject();
    pack(root);
    const { cell, run } = await openOn(root, options);
    expect((await run(`${SETUP}; ${script}`)).output?.exit_code).toBe(0);
    expect((await cell.plan()).lostSecrets).toEqual([]);
    const { skipped } = await cell.commit({ allowProtected: true });
    expect(skipped.filter(({ why }) => why === "would remove secrets from git")).toEqual([]);
    expect(git(root, "ls-tree", "--name-only", "HEAD", ".env")).toBe(".env\n");
  });
});
