// Files with a secret's name that git tracks, in commands: the repository tells their content anyway.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/core/types.ts";
import { git, writeFiles } from "../../kit/worlds/git-project.ts";
import { CERTIFICATE, KEY, openOn, TLS, tlsProject, WAYS } from "../../kit/worlds/tls-project.ts";

describe.each(WAYS)("with %s", (_, options) => {
  test("git status is clean in a project with tracked keys, and its tests read them", async () => {
    const { run } = await openOn(tlsProject(), options);
    expect((await run("git status --porcelain")).stdout).toBe("");
    expect((await run("sh test/tls.sh")).stdout).toBe("passed\n");
    expect((await run("cat .env test/fixtures/credentials.json")).stdout).toBe(
      'PORT=3000\n{ "user": "test" }\n',
    );
  });

  test("a secret that git does not track is not there, nor local changes of a tracked one", async () => {
    const root = tlsProject();
    const { run } = await openOn(root, options);
    const { stdout, meta } = await run("cat .env");
    expect([stdout, meta.hidden]).toEqual(["PORT=3000\n", { count: 0, paths: [], changed: [] }]);
    writeFiles(root, { ".env": "PORT=3000\nTOKEN=CANARY\n", "prod.key": "CANARY", ".env.local": "CANARY" });
    expect((await run("grep -rs CANARY . --exclude-dir=.git; cat .env prod.key .env.local")).stdout).toBe("");
    expect((await run("true")).meta.hidden).toMatchObject({ count: 3, changed: [".env"] });
    git(root, "add", ".env");
    expect((await run("cat .env")).stdout).toContain("TOKEN=CANARY");
  });

  test("certificates are there, tracked or not; a file with a private key is not", async () => {
    const root = tlsProject();
    writeFiles(root, {
      "ca.pem": `# Issuer\n${CERTIFICATE}${CERTIFICATE}`,
      "both.pem": CERTIFICATE + KEY,
      "rsa.pem": KEY.replaceAll("PRIVATE", "RSA PRIVATE"),
      "dump.pem": `Private-Key: (2048 bit)\n${CERTIFICATE}`,
      "other.pem": "CANARY",
    });
    const { run } = await openOn(root, options);
    expect((await run("for f in *.pem; do test -s $f && echo $f; done")).stdout).toBe("ca.pem\n");
  });

  test("the file tools refuse what commands see", async () => {
    const { cell } = await openOn(tlsProject(), options);
    for (const at of [".env", "test/fixtures/key.pem", "test/fixtures/cert.pem"]) {
      const read = await cell.call({ name: "read_file", arguments: { path: at } });
      expect(read.error?.code).toBe("PROTECTED_PATH");
    }
  });

  test("an agent's git commit -am keeps tracked secrets in HEAD", async () => {
    const { run } = await openOn(tlsProject(), options);
    await run("echo x >> package.json; git -c user.name=a -c user.email=a@b commit -q -am change");
    expect((await run("git show --stat --format=%s HEAD")).stdout).toMatch(
      /^change\n\n package.json \| 1 \+\n/,
    );
    expect((await run("git ls-tree -r --name-only HEAD")).stdout.split("\n").slice(0, -1)).toEqual(
      Object.keys(TLS).sort(),
    );
  });
});

describe.each(WAYS.slice(0, 2))("with %s", (_, options) => {
  test("an edit while a command runs is not seen by it", async () => {
    const root = tlsProject();
    const { cell } = await openOn(root, options);
    const command = "echo begun; for i in $(seq 20); do sleep 0.01; cat .env; done";
    const onEvent = ({ kind }: CallEvent) => {
      if (kind === "output") fs.writeFileSync(path.join(root, ".env"), "TOKEN=CANARY\n");
    };
    const { output } = await cell.call({ name: "run_command", arguments: { command } }, { onEvent });
    expect(output?.stdout).toBe(`begun\n${"PORT=3000\n".repeat(20)}`);
  });

  test("a command may change and remove what it sees; the project keeps it", async () => {
    const root = tlsProject();
    const { run, runScript } = await openOn(root, options);
    await runScript("echo more >> .env; rm test/fixtures/key.pem");
    expect((await run("cat .env; ls test/fixtures")).stdout).toBe(
      "PORT=3000\nmore\nagent1-key.pem\ncert.pem\ncredentials.json\n",
    );
    expect(fs.readFileSync(path.join(root, ".env"), "utf8")).toBe("PORT=3000\n");
  });
});

describe.each(WAYS.slice(0, 2))("local changes of a tracked secret, with %s", (_, options) => {
  async function commitInCell() {
    const root = tlsProject();
    writeFiles(root, { ".env": "TOKEN=CANARY\n", "prod.key": "CANARY" });
    const { cell, run } = await openOn(root, options);
    await run("echo x >> package.json; git -c user.name=a -c user.email=a@b commit -q -am change");
    const status = () => git(root, "ls-tree", "--name-only", "HEAD", ".env");
    return { root, cell, run, status };
  }

  test("are named in observations, and a failed command tells the model", async () => {
    const { run } = await commitInCell();
    const { meta, output } = await run("cat .env");
    expect(meta.hidden).toEqual({ count: 2, paths: [".env", "prod.key"], changed: [".env"] });
    expect(output?.note).toBe(
      'Commands do not see files with a secret\'s name: ".env", "prod.key". git shows ".env" as deleted, because of local changes: do not commit that.',
    );
    expect((await run("true")).output?.note).toBeUndefined();
  });

  test("an agent's commit that removes it from git is not taken with --protected alone", async () => {
    const { cell, status } = await commitInCell();
    expect((await cell.plan()).lostSecrets).toEqual([".env"]);
    const { committed, skipped } = await cell.commit({ allowProtected: true });
    expect(committed).toEqual(["package.json"]);
    expect(skipped.find(({ path: at }) => at === ".git/index")?.why).toBe("would remove secrets from git");
    expect(status()).toBe(".env\n");
    await cell.commit({ paths: [".git"], allowProtected: true });
    expect(status()).toBe("");
  });

  test("an agent's commit that keeps it is taken with --protected", async () => {
    const root = tlsProject();
    const { cell, run } = await openOn(root, options);
    await run("echo x >> package.json; git -c user.name=a -c user.email=a@b commit -q -am change");
    expect((await cell.commit({ allowProtected: true })).skipped).toEqual([]);
    expect(git(root, "log", "--format=%s")).toBe("change\nfirst\n");
    expect(git(root, "status", "--porcelain")).toBe("");
  });
});
