import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createProtection, type ProtectionClass } from "./protected.ts";

const classify = createProtection();
const classOf = (path: string): ProtectionClass | null => classify(path)?.class ?? null;

test.each([
  ["secret", ".env", "refuse", "refuse"],
  ["credential-data", "credentials.json", "refuse", "refuse"],
  ["credential-source", "secrets.ts", "allow", "ask"],
  ["self-running", ".git/config", "allow", "refuse"],
  ["ci", ".github/workflows/ci.yml", "allow", "allow"],
])("AC-6 what is %s (%s) is for tools: read %s, write %s", (name, path, read, write) => {
  expect(classify(path)).toEqual({ class: name, read, write });
});

describe("every row of the table", () => {
  const TABLE: Readonly<Record<string, readonly string[]>> = {
    secret: [
      ...[".env", ".env.local", ".env.production", "a/b/.env", ".netrc", "a/.netrc"],
      ...[".ssh", ".ssh/config", "a/.ssh/authorized_keys", ".ssh/id_rsa.pub", ".ssh/secret.ts"],
      ...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "keys/id_ed25519"],
      ...["a.pem", "a.key", "a.p12", "a.pfx", "a.ppk", "a.jks", "a.keystore", "x/server.key", ".pem"],
    ],
    "credential-data": [
      ...["credential", "credentials.json", "my-secret.txt", "secrets.yaml", "secrets.yml", "a/secret.toml"],
      ...[
        "secret.ini",
        ".aws/credentials",
        ".git-credentials",
        ".secrets",
        "secrets.env",
        "secrets.env.local",
      ],
      ...[
        "secret.xml",
        "secret.csv",
        "secret.conf",
        "secret.cfg",
        "secret.properties",
        ".claude/secrets.json",
      ],
    ],
    "credential-source": ["secrets.ts", "docs/secretary.md", "src/credential-store.go", "a.secret.test.js"],
    "self-running": [
      ...[
        ".git",
        ".git/config",
        ".git/hooks/pre-commit",
        "sub/repo/.git/config",
        ".git/refs/heads/fix-secret",
      ],
      ...[
        ".gitmodules",
        "a/.gitmodules",
        ".vscode/tasks.json",
        ".vscode",
        ".idea/workspace.xml",
        "a/.idea/x",
      ],
      ...[".claude/settings.json", ".claude/secret-skill.md", ".cursor/mcp.json", ".mcp.json", ".envrc"],
      ...[
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
      ],
      ...[".zlogin", ".zlogout", ".cshrc", ".tcshrc", ".kshrc", ".inputrc", ".config/fish/config.fish"],
      ...["hotcell.config.json", "a/hotcell.config.json", "GIT~1/config"],
    ],
    ci: [".github/workflows/ci.yml", ".github/workflows/check-secrets.yml", ".gitlab-ci.yml"],
  };

  test.each(Object.entries(TABLE))("%s", (name, paths) => {
    expect(paths.map((path) => [path, classOf(path)])).toEqual(paths.map((path) => [path, name]));
  });

  test("leaves alone what only looks alike", () => {
    const free = [
      ...[
        ".env.example",
        "src/environment.ts",
        "env",
        ".envoy.yaml",
        ".env/lib/site.py",
        "id_rsa.pub",
        "x.pub",
      ],
      ...[
        ".gitattributes",
        ".gitignore",
        "docs/git/config.md",
        "src/gitconfig.ts",
        ".github/CODEOWNERS",
        "git/x",
      ],
      ...["package.json", "Makefile", "README.md", "secrets/readme.md", "key", "pem", "config.fish", "."],
      ...["vscode/x", "netrc", "ssh/config", "a\udc80b"],
    ];
    expect(free.filter((path) => classify(path) !== null)).toEqual([]);
  });

  test("tells a directory, which ends in a slash, from a file of that name", () => {
    expect([".env/", "k8s/secrets/", "a.key/"].map(classOf)).toEqual([null, null, null]);
    expect([".ssh/", ".git/", ".vscode/"].map(classOf)).toEqual(["secret", "self-running", "self-running"]);
  });
});

describe("a name is protected however it is spelt", () => {
  test.each([
    [".ENV", "secret"],
    [".Env.Local", "secret"],
    [".env.", "secret"],
    [".env . .", "secret"],
    [".e\u200bnv", "secret"],
    [".env\ufeff", "secret"],
    [".\u017fsh/config", "secret"],
    ["server.\u212aEY", "secret"],
    ["ID_RSA", "secret"],
    [".GIT/config", "self-running"],
    [".git /config", "self-running"],
    [".git./config", "self-running"],
    [".g\u200cit/config", "self-running"],
    [".CURSOR/mcp.json", "self-running"],
    ["HotCell.Config.JSON", "self-running"],
    [".GitHub/Workflows/ci.yml", "ci"],
    ["CREDENTIALS.JSON", "credential-data"],
    ["\udcff/.env", "secret"],
    [".git/\udc80", "self-running"],
  ])("%j is %s", (path, name) => {
    expect(classOf(path)).toBe(name);
  });
});

describe("configured globs", () => {
  test("add secrets, and exempt what is safe; an exemption wins", () => {
    const configured = createProtection({
      secrets: ["config/**", "**/*.tfstate"],
      allow: ["config/public.json", "test/fixtures/**", ".env.test"],
    });
    const paths = [
      "config/a",
      "a/b.TFSTATE",
      "config/public.json",
      "test/fixtures/id_rsa",
      ".env.test",
      ".env",
    ];
    expect(paths.map((path) => configured(path)?.class ?? null)).toEqual([
      "secret",
      "secret",
      null,
      null,
      null,
      "secret",
    ]);
  });

  test.each(["secrets", "allow"] as const)("that can never match are refused: %s", (option) => {
    const glob = "/etc/**";
    expect(() => createProtection({ [option]: [glob] })).toThrow(
      expect.objectContaining({
        code: "POLICY_INVALID",
        message:
          'Could not use the protected path "/etc/**": paths are relative to the workspace; write "etc/**".',
      }),
    );
  });
});

describe("the corpus", () => {
  interface PathRow {
    readonly id: string;
    readonly op: string;
    readonly input: string;
    readonly expected: "allow" | "deny" | "either";
    readonly policy?: string;
    readonly fixture: readonly { readonly symlink?: string }[];
  }
  const corpus = new URL("../../test/corpus/paths.jsonl", import.meta.url);
  const rows = readFileSync(corpus, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as PathRow)
    .filter((row) => row.policy === "protected-names")
    .filter((row) => !row.fixture.some(({ symlink }) => symlink !== undefined));

  test("has rows for names", () => expect(rows).toHaveLength(31));

  test.each(rows)("$id $op $input: $expected", ({ input, expected }) => {
    const write = classify(input.replace(/^\.\//, ""))?.write ?? "allow";
    if (expected === "either") expect(["allow", "refuse"]).toContain(write);
    else expect(write).toBe(expected === "deny" ? "refuse" : "allow");
  });
});
