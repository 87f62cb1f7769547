// Nothing vanishes: what a session did to files with a secret's name is listed, without content.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { sessions } from "../../../src/doors/sessions.ts";
import { writeFiles } from "../../kit/worlds/git-project.ts";
import { KEY, openOn, tlsProject, WAYS } from "../../kit/worlds/tls-project.ts";

const DID = "echo TOKEN=CANARY > .env; echo CANARY > new.key; rm test/fixtures/key.pem; echo x > f";

describe.each(WAYS.slice(0, 2))("with %s", (_, options) => {
  test("diff, plan, commit, meta.changes and session show agree on secrets that were made, changed and deleted", async () => {
    const root = tlsProject();
    const { cell, runScript, stateDir } = await openOn(root, options);
    const { meta } = await runScript(DID);
    const expected = [".env", "f", "new.key", "test/fixtures/key.pem"];
    expect(meta.changes).toEqual({ count: 4, paths: expected });
    const { changes, stat, unified } = await cell.diff();
    expect(changes.map(({ path: at, kind, secret }) => [at, kind, secret ?? false])).toEqual([
      [".env", "modified", true],
      ["f", "added", false],
      ["new.key", "added", true],
      ["test/fixtures/key.pem", "deleted", true],
    ]);
    const text = JSON.stringify(changes) + stat() + unified() + (await cell.patch());
    expect(text).not.toContain("CANARY");
    expect(text).not.toContain("BEGIN PRIVATE");
    const secrets = expected.filter((at) => at !== "f").map((at) => ({ path: at, why: "secret" }));
    expect((await cell.plan()).skipped).toEqual(secrets);
    await cell.close();
    expect(await sessions.show(cell.session!, { stateDir })).toMatchObject({
      changes: 4,
      calls: [{ paths: 4 }],
    });
  });

  test("a commit leaves them out and says so, and takes them when they are named and confirmed", async () => {
    const root = tlsProject();
    const { cell, runScript } = await openOn(root, options);
    await runScript(DID);
    const all = await cell.commit({ allowProtected: true });
    expect(all.committed).toEqual(["f"]);
    expect(all.skipped.map(({ why }) => why)).toEqual(["secret", "secret", "secret"]);
    const paths = [".env", "new.key", "test/fixtures/key.pem"];
    expect(await cell.commit({ paths: ["test"], allowProtected: true })).toMatchObject({ committed: [] });
    expect((await cell.commit({ paths })).skipped.map(({ why }) => why)).toEqual(
      Array(3).fill("needs confirmation"),
    );
    expect(fs.readFileSync(path.join(root, ".env"), "utf8")).toBe("PORT=3000\n");
    expect((await cell.commit({ paths, allowProtected: true })).committed).toEqual(paths);
    expect(fs.readFileSync(path.join(root, ".env"), "utf8")).toBe("TOKEN=CANARY\n");
    expect(fs.existsSync(path.join(root, "test/fixtures/key.pem"))).toBe(false);
    expect((await cell.diff()).changes).toEqual([]);
  });

  test("a secret that the session never saw is not deleted with its directory", async () => {
    const root = tlsProject();
    writeFiles(root, { "test/fixtures/prod.key": "CANARY", ".ssh/id_rsa": KEY });
    const { cell, runScript } = await openOn(root, options);
    await runScript("rm -r test/fixtures; mkdir .ssh; echo x > .ssh/config");
    expect((await cell.diff()).changes.map(({ path: at, kind }) => `${kind} ${at}`)).toEqual([
      "added .ssh/config",
      ...["agent1-key.pem", "cert.pem", "credentials.json", "key.pem"].map(
        (name) => `deleted test/fixtures/${name}`,
      ),
    ]);
    await cell.commit({ allowProtected: true });
    expect(fs.readdirSync(path.join(root, "test/fixtures"))).toHaveLength(5);
    expect(fs.readdirSync(path.join(root, ".ssh"))).toEqual(["id_rsa"]);
  });
});
