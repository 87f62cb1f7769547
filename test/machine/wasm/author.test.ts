// P4.2: a developer makes, builds, tests and runs a tool with one sequence of commands; folders of others do no harm.
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CliWorld, openCliWorld } from "../../kit/worlds/cli-world.ts";
import { openInstalled } from "../../kit/worlds/real-project.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";
import { makeToolFolder } from "../../kit/worlds/wasm-tool-folder.ts";

const HOTCELL = new URL("../../../bin/hotcell.js", import.meta.url).pathname;
const ENV = { PATH: process.env.PATH };

async function makeShout({ run, root }: CliWorld, lang: string): Promise<string> {
  const dir = path.join(root, "../shout");
  expect((await run(["tool", "new", "shout", "--lang", lang, "--dir", dir])).code).toBe(0);
  if (lang !== "as") return dir;
  const text = fs.readFileSync(path.join(dir, "package.json"), "utf8");
  fs.symlinkSync(
    path.join(openInstalled("assemblyscript", { "package.json": text }), "node_modules"),
    path.join(dir, "node_modules"),
  );
  return dir;
}

describe("the author's way", () => {
  test.each(["js", "c", "as"])(
    "P4.2, P4.2.b new, build and test make a working tool, and run runs it as a guest: %s",
    async (lang) => {
      const world = openCliWorld();
      const dir = await makeShout(world, lang);
      const built = await world.run(["tool", "build", dir], { env: ENV });
      expect([built.code, built.err, built.out]).toEqual([
        0,
        "",
        expect.stringMatching(/^Built shout: tool\.(js|wasm), sha256 [0-9a-f]{64}\n$/),
      ]);
      const tested = await world.run(["tool", "test", dir]);
      expect([tested.code, tested.out]).toEqual([0, "ok      hello.json\n1 of 1 passed\n"]);
      const text = 'a "b"\n\\c';
      const ran = await world.run(["tool", "run", dir, "--input", JSON.stringify({ text }), "--json"]);
      expect(JSON.parse(ran.out)).toMatchObject({
        success: true,
        output: { text: 'A "B"\n\\C' },
        wasm: { fuel: expect.any(Number), memoryBytes: expect.any(Number), denied: [] },
        changes: [],
      });
      const manifest = JSON.parse(fs.readFileSync(path.join(dir, "manifest.json"), "utf8"));
      expect(built.out).toContain(manifest.sha256);
    },
  );

  test("P4.2.a build sets the hash in place, and only the hash", async () => {
    const { run } = openCliWorld();
    const inputSchema = { type: "object", properties: { sha256: { type: "string", default: "abc" } } };
    const dir = await makeToolFolder({ js: "export default () => ({})" }, { inputSchema });
    const file = path.join(dir, "manifest.json");
    const text = fs.readFileSync(file, "utf8").replace('"entry"', '\n\n  "entry"');
    fs.writeFileSync(file, text);
    await run(["tool", "build", dir]);
    const once = fs.readFileSync(file, "utf8");
    const { sha256, ...rest } = JSON.parse(once);
    expect([sha256, rest]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), JSON.parse(text)]);
    expect(once).toContain('\n\n  "entry"');
    fs.appendFileSync(path.join(dir, "tool.js"), "// more");
    await run(["tool", "build", dir]);
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({
      ...rest,
      sha256: expect.not.stringContaining(sha256),
    });
  });

  test.each([
    [
      "c",
      "clang",
      "clang is not installed. Run: sudo apt-get install clang lld wasi-libc libclang-rt-dev-wasm32",
    ],
    ["as", "asc", "asc is not installed. Run: npm install --prefix "],
  ])("a compiler that is missing is named with the line to run: %s", async (lang, _name, message) => {
    const { run, root } = openCliWorld();
    await run(["tool", "new", "x", "--lang", lang, "--dir", "../x"]);
    const { code, err } = await run(["tool", "build", "../x"], { env: { PATH: root } });
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  test.each([
    ["fatal error: 'stdio.h' file not found", true],
    ['clang: error: unable to execute command: Executable "wasm-ld" doesn\'t exist!', true],
    ["wasm-ld: error: cannot open crt1-command.o: No such file or directory", true],
    ["tool.c:1:10: fatal error: 'mine.h' file not found", false],
  ])("the message %j of a compiler asks for an installation: %s", async (message, isMissing) => {
    const { run, root } = openCliWorld();
    await run(["tool", "new", "x", "--lang", "c", "--dir", "../x"]);
    fs.writeFileSync(path.join(root, "clang"), `#!/bin/sh\ncat >&2 <<'END'\n${message}\nEND\nexit 1\n`, {
      mode: 0o755,
    });
    const { code, err } = await run(["tool", "build", "../x"], { env: { PATH: `${root}:/usr/bin:/bin` } });
    const next = isMissing ? "Run: sudo apt-get install" : "clang refused tool.c, for the reason above";
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^${message.replaceAll(/[.()[\]!]/g, "\\$&")}\nhotcell: .*${next}`)),
    ]);
  });

  test("what a compiler says is shown whole, line by line", async () => {
    const { run, root } = openCliWorld();
    await run(["tool", "new", "x", "--lang", "c", "--dir", "../x"]);
    fs.writeFileSync(path.join(root, "../x/tool.c"), "int main(void) { return nosuch; }\n");
    const { code, err } = await run(["tool", "build", "../x"], { env: ENV });
    expect(code).toBe(1);
    expect(err).toMatch(/^tool\.c:1:25: error: use of undeclared identifier 'nosuch'\n/);
  });

  test("P4.2.d --watch builds and tests again after each change, until it is interrupted", async () => {
    const { run, root } = openCliWorld();
    await run(["tool", "new", "x", "--dir", "../x"]);
    const dir = path.join(root, "../x");
    const watch = spawn(process.execPath, [HOTCELL, "tool", "test", "--watch", dir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void watch.kill("SIGKILL"));
    let said = "";
    const rounds = async (count: number) => {
      while (said.split("Waiting for a change").length - 1 < count)
        await new Promise<void>((resolve, reject) => {
          watch.stdout.once("data", (chunk) => {
            said += chunk;
            resolve();
          });
          watch.once("exit", () => reject(new Error(said)));
        });
      return said.split("Waiting for a change").at(-2)!;
    };
    expect(await rounds(1)).toContain("1 of 1 passed");
    fs.writeFileSync(path.join(dir, "tool.js"), "export default () => ({ text: 'no' });\n");
    expect(await rounds(2)).toContain("FAILED  hello.json");
    fs.writeFileSync(
      path.join(dir, "cases/hello.json"),
      '{ "input": { "text": "x" }, "output": { "text": "no" } }',
    );
    expect(await rounds(3)).toContain("1 of 1 passed");
    fs.writeFileSync(path.join(dir, "manifest.json"), "{");
    expect(await rounds(4)).toContain("manifest.json");
    watch.kill("SIGINT");
    expect(await new Promise((resolve) => watch.once("exit", resolve))).toBe(0);
  });
});

describe("a case", () => {
  const run = async (
    given: object,
    js = "export default (_, host) => ({ env: host.env })",
    capabilities = {},
  ) => {
    const dir = await makeToolFolder({ js }, { capabilities });
    fs.mkdirSync(path.join(dir, "cases"));
    fs.writeFileSync(path.join(dir, "cases/a.json"), JSON.stringify({ input: {}, ...given }));
    return openCliWorld().run(["tool", "test", dir], { env: { HOME: "/nowhere", TOKEN: "of the person" } });
  };

  test("has its own variables, and none of the person who runs it", async () => {
    const asks = { env: ["TOKEN", "OTHER"] };
    const { out } = await run({ grant: ["env=TOKEN"], output: { env: {} } }, undefined, asks);
    expect(out).toContain("1 of 1 passed");
    const given = { grant: ["env=OTHER"], env: { OTHER: "x" }, output: { env: { OTHER: "x" } } };
    expect((await run(given, undefined, asks)).out).toContain("1 of 1 passed");
  });

  test.each([
    [{ grant: ["network=example.com"] }, "it grants the network, and cases have none"],
    [{ files: { "../outside.txt": "x" } }, 'it names the file "../outside.txt"'],
    [{ files: { "/tmp/outside.txt": "x" } }, 'it names the file "/tmp/outside.txt"'],
    [{ changed: { "a/../../../x": "" } }, 'it names the file "a/../../../x"'],
    [{ nosuch: 1 }, '"nosuch"'],
  ])("that reaches out of its project is refused: %j", async (given, message) => {
    const { code, err } = await run(given);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test("that reads a file by a link which the tool made is refused", async () => {
    const dir = tempDir();
    fs.writeFileSync(path.join(dir, "secret"), "secret");
    const link = path.join(dir, "link.json");
    fs.symlinkSync("secret", link);
    const folder = await makeToolFolder({ js: "export default () => ({})" });
    fs.mkdirSync(path.join(folder, "cases"));
    fs.symlinkSync(link, path.join(folder, "cases/a.json"));
    const { code, err } = await openCliWorld().run(["tool", "test", folder]);
    expect([code, err.includes("secret")]).toEqual([2, false]);
  });
});
