// hotcell tool and hotcell wasm run: what they print, and their exit codes.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openCliWorld } from "../../kit/worlds/cli-world.ts";
import { command, makeToolFolder } from "../../kit/worlds/wasm-tool-folder.ts";

const HOTCELL = new URL("../../../bin/hotcell.js", import.meta.url).pathname;

describe("hotcell tool", () => {
  test("code that is not what was built is refused, with both hashes (wasm-121)", async () => {
    const { run, root } = openCliWorld();
    await run(["tool", "new", "shout", "--dir", "../shout"]);
    await run(["tool", "build", "../shout"]);
    fs.appendFileSync(path.join(root, "../shout/tool.js"), "// changed");
    const { code, err } = await run(["tool", "run", "../shout"]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/"sha256" is "[0-9a-f]+…?".*tool\.js has "[0-9a-f]+…?"/),
    ]);
  });

  test("a case that fails is exit 1, and says what came", async () => {
    const { run, root } = openCliWorld();
    await run(["tool", "new", "shout", "--dir", "../shout"]);
    fs.writeFileSync(
      path.join(root, "../shout/cases/wrong.json"),
      '{ "input": { "text": "a" }, "output": { "text": "b" } }',
    );
    const { code, out } = await run(["tool", "test", "../shout"]);
    expect([code, out]).toEqual([
      1,
      expect.stringContaining(
        'FAILED  wrong.json: the output is {"text":"A"}, and {"text":"b"} was expected',
      ),
    ]);
  });

  test("run shows the diff of what the tool wrote in its session; the project is as before", async () => {
    const { run, root } = openCliWorld({ "a.txt": "one\n" });
    const js =
      'export default (_, host) => host.call("workspace.write", { path: "a.txt", content: "two\\n" })';
    const dir = await makeToolFolder({ js }, { capabilities: { filesystem: "write" } });
    const { out } = await run(["tool", "run", dir, "--grant", "filesystem=write", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ success: true, changes: [{ path: "a.txt", kind: "modified" }] });
    expect(fs.readFileSync(path.join(root, "a.txt"), "utf8")).toBe("one\n");
  });

  test("run shows a person the result, what the tool said and used, and the diff", async () => {
    const { run } = openCliWorld({ "a.txt": "one\n" });
    const js =
      'export default (_, host) => { console.log("begun"); return { bytes: host.call("workspace.write", { path: "a.txt", content: "two\\n" }).bytes } }';
    const dir = await makeToolFolder({ js }, { capabilities: { filesystem: "write" } });
    const { code, out, err } = await run(["tool", "run", dir, "--grant", "filesystem=write"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^\{\n {2}"bytes": 4\n\}\nfuel \d+ · memory [\d.]+ MB · 1 host call\ndiff --git a\/a\.txt b\/a\.txt\n[\s\S]*-one\n\+two\n$/,
    );
    expect(err).toMatch(/^begun\nhotcell: session .+\. Keep the changes: hotcell commit\n$/);
  });

  test.each([
    [["tool", "new", "x", "--lang", "cobol"], '--lang is "cobol"'],
    [["tool", "new", "__proto__"], "must begin with a letter"],
    [["tool", "run", ".", "--grant", "root"], 'Could not grant "root"'],
    [["tool", "run", "."], "manifest.json"],
  ])("wrong use is exit 2: %j", async (args, message) => {
    const { code, err } = await openCliWorld().run(args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("rules hold for hotcell tool run", () => {
  const js = `export default (_, host) => {
    try { return host.call("http.fetch", { url: "https://example.com/" }) } catch ({ code, message }) { return { code, message } }
  }`;
  const grant = ["--grant", "network=example.com"];
  const makeTool = () => makeToolFolder({ js }, { capabilities: { network: ["example.com"] } });

  test.each([
    ["deny network(example.com:443)", {}],
    ["ask network(example.com:443)", {}],
    // The configuration's other tools, which its rules may name, do not stop the run.
    [
      "deny network(*:*)",
      { tools: [{ type: "http", name: "other", description: "x", url: "https://a.test/" }] },
    ],
  ])("%s of the configuration, and of --rule, closes a granted host", async (rule, more) => {
    const { run, root } = openCliWorld();
    const dir = await makeTool();
    const rules = "tools" in more ? [rule, "ask other"] : [rule];
    fs.writeFileSync(path.join(root, "c.json"), JSON.stringify({ rules, ...more }));
    for (const flags of [
      ["--config", "c.json"],
      ["--rule", rule],
    ]) {
      const { out } = await run(["tool", "run", dir, ...grant, ...flags, "--json"]);
      expect(JSON.parse(out).output).toEqual({
        code: "NETWORK_DENIED",
        message: expect.stringContaining(rule),
      });
    }
  });

  test("a rule that denies the tool itself stops the call", async () => {
    const { run } = openCliWorld();
    const { code, err } = await run(["tool", "run", await makeTool(), ...grant, "--rule", "deny tested"]);
    expect([code, err]).toEqual([1, expect.stringMatching(/DENIED.*deny tested/)]);
  });
});

describe("a tool with model_access on the command line", () => {
  const js =
    'export default (_, host) => ({ said: host.call("model.chat", { messages: [{ role: "user", content: "read a.txt" }] }).content })';
  const manifest = { capabilities: { model_access: true } };

  test("has the model of MODEL_PROVIDER, in tool run and in call", async () => {
    const { run, root, stateDir } = openCliWorld();
    const script = path.join(root, "../script.json");
    fs.writeFileSync(script, JSON.stringify({ turns: [{ text: "Good day." }] }));
    const env = { HOTCELL_STATE_DIR: stateDir, MODEL_PROVIDER: "scripted", MODEL_NAME: script };
    const dir = await makeToolFolder({ js }, manifest);
    const ran = await run(["tool", "run", dir, "--grant", "model_access", "--json"], { env });
    expect(JSON.parse(ran.out).output).toEqual({ said: "Good day." });
    const config = { tools: [{ type: "wasm", path: dir, grant: { model_access: true } }] };
    fs.writeFileSync(path.join(root, "c.json"), JSON.stringify(config));
    const called = await run(["call", "tested", "--config", "c.json", "--rule", "allow tested", "--json"], {
      env,
    });
    expect(JSON.parse(called.out).output).toEqual({ said: "Good day." });
  });

  test("is told which setting is missing", async () => {
    const { run } = openCliWorld();
    const dir = await makeToolFolder({ js }, manifest);
    const { code, err } = await run(["tool", "run", dir, "--grant", "model_access"]);
    expect([code, err]).toEqual([1, expect.stringContaining("Set MODEL_PROVIDER and MODEL_NAME")]);
  });
});

describe("hotcell wasm run", () => {
  test("output and exit code are the module's, and it sees the named directory only", async () => {
    const { run, root } = openCliWorld({ "data/in.txt": "inside" });
    const open = (at: string) =>
      `(local.set $e (call $open (i32.const 3) (i32.const 0) (i32.const 1024) (i32.const ${at.length}) (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 20)))`;
    const dir = await makeToolFolder({
      wat: command(
        `${open("in.txt")} (call $say (i32.const 512) (i32.const 2)) (call $exit (i32.add (i32.const 7) (local.get $e)))`,
        "in.txt",
      ),
    });
    const module = path.join(dir, "tool.wasm");
    expect(await run(["wasm", "run", "--dir", `${root}/data::/data`, module])).toEqual({
      code: 7,
      out: "{}",
      err: "",
    });
    const EBADF = 8;
    expect((await run(["wasm", "run", module])).code).toBe(7 + EBADF);
  });

  test("standard input, output and error are passed as bytes", async () => {
    const wat = command(`(i32.store (i32.const 8) (i32.const 2048)) (i32.store (i32.const 12) (i32.const 100))
      (drop (call $read (i32.const 0) (i32.const 8) (i32.const 1) (i32.const 16)))
      (call $say (i32.const 2048) (i32.load (i32.const 16))) (call $exit (i32.const 0))`);
    const module = path.join(await makeToolFolder({ wat }), "tool.wasm");
    const given = Buffer.from([0, 0xff, 0xc3, 0x28, 10]);
    const pieces: Uint8Array[] = [];
    const io = {
      readStdin: async () => given,
      out: (text: string | Uint8Array) => pieces.push(Buffer.from(text)) > 0,
    };
    expect((await openCliWorld().run(["wasm", "run", module], io)).code).toBe(0);
    expect(Buffer.concat(pieces)).toEqual(given);
  });

  test("a module that writes to standard error goes on", async () => {
    const wat = command("").replace("(call $write (i32.const 1)", "(call $write (i32.const 2)");
    const module = path.join(await makeToolFolder({ wat }), "tool.wasm");
    const { status, stdout, stderr } = spawnSync(process.execPath, [HOTCELL, "wasm", "run", module], {
      encoding: "utf8",
    });
    expect([status, stdout, stderr]).toEqual([0, "", "{}"]);
  });

  test.each([
    ["(call $exit (i32.const 256))", 1, ""],
    ["(call $exit (i32.const 255))", 255, ""],
    ["unreachable", 134, "hotcell: The wasm tool failed: unreachable. Correct its code.\n"],
  ])("the exit code of %s is %i", async (code, expected, err) => {
    const module = path.join(await makeToolFolder({ wat: command(code) }), "tool.wasm");
    expect(await openCliWorld().run(["wasm", "run", module])).toMatchObject({ code: expected, err });
  });

  test("a module that wants more memory than there is reads the limit, and that no option raises it", async () => {
    const grow = "(if (i32.eq (memory.grow (i32.const 65535)) (i32.const -1)) (then unreachable))";
    const module = path.join(await makeToolFolder({ wat: command(grow) }), "tool.wasm");
    expect(await openCliWorld().run(["wasm", "run", module])).toEqual({
      code: 134,
      out: "",
      err: "hotcell: The wasm tool was ended: it had 0.1 MiB of memory, and asked for more than its 1024 MiB. hotcell wasm run gives no more. To allow more, make the module a tool, with a larger limits.memory and TOOL_MEMORY_MB.\n",
    });
  });

  test("a module that goes on with less memory has its own exit code", async () => {
    const grow =
      "(if (i32.eq (memory.grow (i32.const 65535)) (i32.const -1)) (then (call $exit (i32.const 3))))";
    const module = path.join(await makeToolFolder({ wat: command(grow) }), "tool.wasm");
    expect(await openCliWorld().run(["wasm", "run", module])).toEqual({ code: 3, out: "", err: "" });
  });

  test.each([
    [["wasm", "run", "nosuch.wasm"], 'Could not read the module "nosuch.wasm" (ENOENT)'],
    [["wasm", "run", "text.wasm"], "INVALID"],
    [["wasm", "run", "--env", "A", "text.wasm"], 'Could not use --env "A"'],
  ])("wrong use is exit 2: %j", async (args, message) => {
    const { code, err } = await openCliWorld({ "text.wasm": "no module" }).run(args);
    expect([code, err]).toEqual([
      2,
      message === "INVALID" ? expect.stringMatching(/magic|module/i) : expect.stringContaining(message),
    ]);
  });

  test("TOOL_RUNTIME=builtin leaves wasm tools out; the default loads them (P0.1)", async () => {
    const { run, root } = openCliWorld();
    const dir = await makeToolFolder({ js: "export default () => ({})" });
    fs.writeFileSync(path.join(root, "c.json"), JSON.stringify({ tools: [{ type: "wasm", path: dir }] }));
    expect((await run(["tools", "--config", "c.json"])).out).toContain("tested");
    const { env } = { env: { HOTCELL_STATE_DIR: path.join(root, "../state"), TOOL_RUNTIME: "builtin" } };
    expect((await run(["tools", "--config", "c.json"], { env })).out).not.toContain("tested");
  });
});
