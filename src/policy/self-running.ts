// Files that execute by themselves, or steer a program that does: the one table, with the reason of each row.
// docs/threat-model.md shows the same table; a test compares them.

export type SelfRunningClass = "self-running" | "ci" | "instructions";

export interface SelfRunningRow {
  readonly class: SelfRunningClass;
  /** `name` is a file anywhere, `*.end` files with that ending, `dir/` everything below a directory of that name, `/dir/` only at the top of the project. */
  readonly paths: readonly string[];
  readonly reason: string;
}

/** Tools may read all of them, and write those of class `ci` and `instructions`. A commit confirms all of them separately. */
export const SELF_RUNNING: readonly SelfRunningRow[] = [
  {
    class: "self-running",
    // git~1 is the short name of .git on a Windows drive.
    paths: [".git/", "git~1/", ".gitmodules"],
    reason: "git runs hooks, filters and programs that its configuration names",
  },
  {
    class: "self-running",
    paths: [
      ".husky/",
      ".githooks/",
      ...["lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json"],
      ...[".lefthook.yml", ".lefthook.yaml", ".lefthook.toml", ".lefthook.json"],
      ...["lefthook-local.yml", "lefthook-local.yaml", ".lefthook-local.yml", ".lefthook-local.yaml"],
      ".pre-commit-config.yaml",
      ".overcommit.yml",
    ],
    reason: "hook managers run these at your next git commit or push",
  },
  {
    class: "self-running",
    paths: [
      ".vscode/",
      ".idea/",
      ".zed/",
      ".fleet/",
      "*.code-workspace",
      ".nvim.lua",
      ".nvimrc",
      ".exrc",
      ".vimrc",
    ],
    reason: "editors run tasks and settings of a project when it is opened",
  },
  {
    class: "self-running",
    paths: [
      ".claude/",
      ".codex/",
      ".gemini/",
      ".roo/",
      ".cursor/",
      ".continue/",
      ".windsurf/",
      ".opencode/",
      "opencode.json",
      "opencode.jsonc",
      ".aider.conf.yml",
      ".mcp.json",
      "hotcell.config.json",
    ],
    reason: "agents take permissions, hooks and servers to start from these",
  },
  {
    class: "self-running",
    paths: [
      ".envrc",
      "mise.toml",
      ".mise.toml",
      "mise.local.toml",
      ".mise.local.toml",
      "mise/",
      ".mise/",
      ".tool-versions",
      ".devcontainer/",
      ".devcontainer.json",
    ],
    reason: "environment managers run or install these when you enter the directory",
  },
  {
    class: "self-running",
    paths: [
      ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".inputrc"],
      ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"],
      ...[".cshrc", ".tcshrc", ".kshrc", ".config/fish/"],
    ],
    reason: "a shell runs its profile at every start",
  },
  {
    class: "ci",
    paths: [
      ...["/.github/workflows/", "/.github/actions/", ".gitlab-ci.yml", ".circleci/", "Jenkinsfile"],
      ...[
        "azure-pipelines.yml",
        ".travis.yml",
        "/.forgejo/workflows/",
        "/.forgejo/actions/",
        "/.gitea/workflows/",
        "/.gitea/actions/",
        "bitbucket-pipelines.yml",
      ],
      ...[".drone.yml", ".woodpecker.yml", ".woodpecker/", ".buildkite/", ".cirrus.yml"],
    ],
    reason: "a CI server runs these with its own credentials after a push",
  },
  {
    class: "ci",
    paths: [".npmrc", ".pnpmfile.cjs", ".yarnrc", ".yarnrc.yml", ".yarn/releases/", ".yarn/plugins/"],
    reason: "package managers run or obey these at the next install",
  },
  {
    class: "instructions",
    paths: [
      "AGENTS.md",
      "AGENTS.override.md",
      "AGENT.md",
      "CLAUDE.md",
      "CLAUDE.local.md",
      "GEMINI.md",
      ".cursorrules",
      ".windsurfrules",
      ".clinerules",
      ".clinerules/",
      "copilot-instructions.md",
    ],
    reason: "later agents follow these texts",
  },
];

/** A path whose names are folded to lower case. */
interface Folded {
  readonly text: string;
  readonly onTheWay: readonly string[];
  readonly last: string;
}

export type SelfRunningMatch = (path: Folded) => boolean;

/** Whether a row of this class covers a path. */
export function matchSelfRunning(wanted: SelfRunningClass): SelfRunningMatch {
  const paths = SELF_RUNNING.filter((row) => row.class === wanted)
    .flatMap((row) => row.paths)
    .map((path) => path.toLowerCase());
  const directories = paths.filter((path) => path.endsWith("/"));
  const isNested = (path: string) => path.slice(0, -1).includes("/");
  const names = new Set(paths.filter((path) => !path.endsWith("/") && !path.startsWith("*")));
  const endings = paths.filter((path) => path.startsWith("*")).map((path) => path.slice(1));
  const single = new Set(directories.filter((path) => !isNested(path)).map((path) => path.slice(0, -1)));
  const nested = directories.filter(isNested);
  return ({ text, onTheWay, last }) => {
    if (names.has(last) || endings.some((ending) => last.endsWith(ending))) return true;
    if (onTheWay.length === 0) return false;
    if (onTheWay.some((name) => single.has(name))) return true;
    return nested.some((path) =>
      path.startsWith("/") ? `/${text}`.startsWith(path) : `/${text}`.includes(`/${path}`),
    );
  };
}

/** The directory names of all rows. */
export const SELF_RUNNING_DIRECTORY_NAMES: readonly string[] = SELF_RUNNING.flatMap(({ paths }) =>
  paths.filter((path) => path.endsWith("/")).map((path) => path.split("/").find((name) => name !== "")!),
);

/** What a directory may hold below its own name for a row to cover it: `workflows/`. */
export const NESTED_NAMES: readonly string[] = [
  ...new Set(
    SELF_RUNNING.flatMap(({ paths }) =>
      paths.flatMap((path) => /^\/?[^/]+\/([^/]+)\/$/.exec(path)?.[1] ?? []),
    ),
  ),
];
