// protect.readonly: one rule for all ways of writing.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTempCell } from "../../kit/worlds/temp-cell.ts";
import { WAYS } from "../../kit/worlds/tls-project.ts";

const FILES = {
  "infra/main.tf": "a\n",
  "infra/sub/x": "b\n",
  "src/a.ts": "c\n",
  "deep/infra/y": "d\n",
  "go.lock": "e\n",
};

async function open(options: object, readonly = ["infra/**", "*.lock"]) {
  const world = await openTempCell(
    { trust: "autonomous", ...options, protect: { readonly } },
    FILES,
    "/var/tmp",
  );
  const run = async (command: string) => {
    const { output, error } = await world.cell.call({ name: "run_command", arguments: { command } });
    return { code: output?.exit_code, stdout: output?.stdout, error: error?.code };
  };
  return { ...world, run };
}

/** A script: rules look only at the line itself. */
const WRITES = [
  "echo x > infra/main.tf",
  "echo x >> infra/sub/x",
  "rm infra/main.tf",
  "rm -rf infra",
  "mv infra other",
  "touch infra/new",
  "mkdir infra/sub/d",
  "chmod 777 infra/main.tf",
  "echo x > t && mv t infra/main.tf",
  "ln -f src/a.ts infra/link",
  "echo x > go.lock",
  "rm -f go.lock",
  "ln -s infra l && echo x > l/main.tf",
];

describe.each(WAYS)("with %s", (_, options) => {
  test("file tools refuse to write there, and read", async () => {
    const { cell } = await open(options);
    const write = await cell.call({ name: "write_file", arguments: { path: "infra/new", content: "x" } });
    expect(write.error).toEqual({
      code: "PROTECTED_PATH",
      message: 'Could not write "infra/new": protect.readonly of the configuration makes it read-only.',
    });
    const read = await cell.call({ name: "read_file", arguments: { path: "infra/main.tf" } });
    expect(read.output?.content).toContain("a");
  });

  test("commands cannot write there, and write elsewhere; without the setting they can", async () => {
    const { run, root } = await open(options);
    const script = WRITES.map((line) => `(${line}) 2>/dev/null && echo "done: ${line}"`).join("\n");
    const text = Buffer.from(script).toString("base64");
    expect(await run(`echo ${text} | base64 -d > /tmp/s; sh /tmp/s`)).toMatchObject({ stdout: "" });
    expect(
      (await run("cat infra/main.tf infra/sub/x go.lock; echo x > src/a.ts; echo x > deep/infra/y")).stdout,
    ).toBe("a\nb\ne\n");
    expect((await run("cat src/a.ts deep/infra/y")).stdout).toBe("x\nx\n");
    expect(fs.readFileSync(path.join(root, "infra/main.tf"), "utf8")).toBe("a\n");
    const free = await open(options, []);
    expect((await free.run(`echo ${text} | base64 -d > /tmp/s; sh /tmp/s`)).stdout).toContain(
      "done: echo x > infra/main.tf",
    );
  });
});

describe.each(WAYS.slice(0, 2))("with %s", (_, options) => {
  test("a commit leaves out what a command made where nothing was", async () => {
    const { cell, run, root } = await open(options, ["infra/**", "new/**"]);
    await run("echo 'mkdir new; echo x > new/f; echo x > src/b.ts' > /tmp/s; sh /tmp/s");
    const { committed, skipped } = await cell.commit({ paths: ["new/f", "src/b.ts"], allowProtected: true });
    expect(committed).toEqual(["src/b.ts"]);
    expect(skipped).toEqual([{ path: "new/f", why: "read-only" }]);
    expect(fs.existsSync(path.join(root, "new"))).toBe(false);
    expect((await run("sh /tmp/s; cat new/f")).stdout).toBe("x\n");
    expect((await run("touch new/g || echo refused")).stdout).toBe("refused\n");
  });

  test("a link in the place of a read-only path leads nowhere else", async () => {
    const { run } = await open(options, ["later/**"]);
    await run("ln -s /etc later");
    expect((await run("ls -d later/.. && readlink later")).stdout).toContain("/etc");
    expect((await run("test -w later/passwd || echo refused")).stdout).toBe("refused\n");
  });
});

describe.each(WAYS)("with %s", (_, options) => {
  test("a directory above cannot be moved away with it, and a secret in it stays hidden", async () => {
    const { run, root } = await open(options, ["deep/infra/**"]);
    fs.writeFileSync(path.join(root, "deep/infra/.env"), "CANARY\n");
    await run("mv deep other; mkdir -p deep; echo x > other/infra/y; mv other deep");
    expect((await run("cat deep/infra/.env deep/infra/y")).stdout).not.toContain("CANARY");
    expect(fs.readFileSync(path.join(root, "deep/infra/y"), "utf8")).toBe("d\n");
    expect((await run("echo x > deep/z && cat deep/z")).stdout).toBe("x\n");
  });
});
