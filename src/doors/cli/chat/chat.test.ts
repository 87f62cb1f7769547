import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CliWorld, openCliWorld, type Ran } from "../../../../test/kit/worlds/cli-world.ts";
import { serveModel } from "../../../../test/kit/worlds/model-server.ts";
import { WIRE_CASES } from "../../../../test/kit/worlds/wire-cases.ts";

const ON_HOST = ["--fs", "host", "--trust", "autonomous"];

function withScript(turns: readonly object[], files: Readonly<Record<string, string>> = {}): CliWorld {
  return openCliWorld({ "a.txt": "hello\n", "script.json": JSON.stringify({ turns }), ...files });
}

const chat = (world: CliWorld, ...args: readonly string[]) =>
  world.run([
    "chat",
    "go",
    "--model",
    `scripted/${path.join(world.root, "script.json")}`,
    ...ON_HOST,
    ...args,
  ]);

describe("hotcell chat", () => {
  test("prints the text, one line for each call with the argument that matters, and the end", async () => {
    const world = withScript([
      { text: "I look.", calls: [{ name: "read_file", arguments: { path: "a.txt" } }] },
      { text: "It says hello." },
    ]);
    expect(await chat(world)).toEqual({
      code: 0,
      out: "I look.\n● read_file a.txt\nIt says hello.\ndone · 0 tokens in, 0 out · 1 call\n",
      err: `This is no model: the answers come from the script ${path.join(world.root, "script.json")}.\n`,
    });
  });

  test("a refused call is shown with its reason", async () => {
    const world = withScript([
      { calls: [{ name: "read_file", arguments: { path: ".env" } }] },
      { text: "Ok." },
    ]);
    const { out } = await chat(world);
    expect(out).toContain("● read_file .env\n  ✗ refused: ");
  });

  test("nothing that a model writes is obeyed by the terminal", async () => {
    const world = withScript([
      { text: "a\u001b[2Jb\rc", calls: [{ name: "read_file", arguments: { path: "\u001b]0;x\u0007" } }] },
      { text: "." },
    ]);
    const { out } = await chat(world);
    expect(out).not.toMatch(/[\u001b\r\u0007]/);
    expect(out).toContain("a\\u{1b}[2Jb\\u{d}c");
  });

  test("--json prints one event per line: first run.start, last run.end", async () => {
    const world = withScript([
      { calls: [{ name: "write_file", arguments: { path: "b.txt", content: "x\n" } }] },
      { text: "." },
    ]);
    const { code, out } = await chat(world, "--json");
    const events = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(events[0]).toMatchObject({
      kind: "run.start",
      run: expect.stringMatching(/^run_/),
      session: null,
    });
    expect(events.at(-1)).toMatchObject({ kind: "run.end", stop: "done" });
    expect(fs.readFileSync(path.join(world.root, "b.txt"), "utf8")).toBe("x\n");
  });

  test("a run that does not end by itself exits with 1", async () => {
    const world = withScript(
      Array.from({ length: 9 }, () => ({ calls: [{ name: "read_file", arguments: { path: "a.txt" } }] })),
    );
    const { code, out } = await chat(world);
    expect(code).toBe(1);
    expect(out).toContain("stopped: the model made the same call again and again");
  });

  test("--budget limits the run", async () => {
    const calls = ["a", "b", "c"].map((at) => ({ name: "read_file", arguments: { path: at } }));
    const { code, out } = await chat(withScript([{ calls }]), "--budget", "calls=2");
    expect(code).toBe(1);
    expect(out).toContain("stopped: the budget is spent");
  });

  test("the simple commands of scripted without a file, which says that it is no model", async () => {
    const world = openCliWorld({ "a.txt": "hello\n" });
    const says = (prompt: string) => world.run(["chat", prompt, "--model", "scripted", ...ON_HOST]);
    const { out, err } = await says("read a.txt");
    expect(out).toContain("● read_file a.txt\n");
    expect(err).toBe("This is no model: it follows simple typed commands.\n");
    expect((await says("dance")).out).toContain("I am no model");
  });

  test.each([
    ["an unknown provider", ["--model", "opnai/x"], "Did you mean openai?"],
    ["no model", [], "Give --model PROVIDER/NAME, or set MODEL_PROVIDER"],
    ["a missing key", ["--model", "anthropic/x"], "Set MODEL_API_KEY"],
    [
      "an unreadable script",
      ["--model", "scripted/none.json"],
      "open 'none.json'. Give a script as --model scripted/FILE, or as model in the library.",
    ],
    [
      "a wrong budget",
      ["--model", "scripted", "--budget", "tokens=many"],
      '"tokens=many" is not NAME=NUMBER',
    ],
    ["an unknown budget", ["--model", "scripted", "--budget", "dollars=1"], '"dollars" is no setting'],
    ["an unknown run", ["--model", "scripted", "--resume", "run_none"], "Could not find the run"],
  ])("%s is wrong use, and the message names what to set", async (_, args, says) => {
    const { code, err } = await openCliWorld({}).run(["chat", "go", ...args]);
    expect(err).toContain(says);
    expect(code).toBe(2);
  });

  test("without a prompt and without a terminal it is wrong use", async () => {
    expect(await openCliWorld({}).run(["chat", "--model", "scripted"])).toMatchObject({ code: 2 });
  });

  test("a project's own file may not choose the model", async () => {
    const world = openCliWorld({
      "hotcell.config.json": '{"model":{"provider":"ollama","name":"x","baseUrl":"http://127.0.0.1:1"}}',
    });
    const { code, err } = await world.run(["chat", "go"]);
    expect(code).toBe(2);
    expect(err).toContain('it contains "model"');
  });

  test("the variables of the environment choose the model", async () => {
    const world = openCliWorld({});
    const env = { HOTCELL_STATE_DIR: world.stateDir, MODEL_PROVIDER: "scripted" };
    expect((await world.run(["chat", "dance", ...ON_HOST], { env })).out).toContain("I am no model");
  });
});

test("--model-url is the address of the model, and beats the environment; the provider's own key does not go there", async () => {
  const [text] = WIRE_CASES.openai;
  const server = await serveModel({ body: text!.body });
  onTestFinished(() => server.close());
  const world = openCliWorld({});
  const env = {
    HOTCELL_STATE_DIR: world.stateDir,
    MODEL_BASE_URL: "http://127.0.0.1:1",
    OPENAI_API_KEY: "own-key",
  };
  const args = ["chat", "go", "--model", "openai/m", "--model-url", server.url, ...ON_HOST];
  const { code, out } = await world.run(args, { env });
  expect([code, out]).toEqual([0, expect.stringContaining(text!.expected.text!)]);
  expect(JSON.stringify(server.requests)).not.toContain("own-key");
  const wrong = await world.run(["chat", "go", "--model", "openai/m", "--model-url", "nonsense"]);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('"nonsense"') });
});

test("--price adds the cost of the run to its last line", async () => {
  const usage = {
    prompt_tokens: 2000,
    completion_tokens: 100,
    prompt_tokens_details: { cached_tokens: 1000 },
  };
  const events = [
    { choices: [{ delta: { content: "Hello." }, finish_reason: "stop" }] },
    { choices: [], usage },
  ];
  const server = await serveModel({ body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`) });
  onTestFinished(() => server.close());
  const args = ["chat", "go", "--model", "openai/m", "--model-url", server.url, ...ON_HOST];
  const costs = async (...price: readonly string[]) =>
    (await openCliWorld().run([...args, ...price])).out.split("\n").at(-2);
  expect(await costs()).toBe("done · 2000 tokens in, 100 out · 0 calls");
  expect(await costs("--price", "input=3,output=15")).toBe(
    "done · 2000 tokens in, 100 out · $0.0075 · 0 calls",
  );
  expect(await costs("--price", "input=3,output=15,cachedInput=0.3")).toBe(
    "done · 2000 tokens in, 100 out · $0.0048 · 0 calls",
  );
});

describe("in a terminal", () => {
  const typing = (...lines: (string | null)[]) => ({
    interactive: true,
    askLine: async () => lines.shift() ?? null,
    ask: async () => "",
  });

  test("prompts follow one another in the same run, until the end of input", async () => {
    const world = withScript([{ text: "One." }, { text: "Two." }]);
    const args = ["chat", "--model", `scripted/${path.join(world.root, "script.json")}`, ...ON_HOST];
    const { code, out } = await world.run(args, typing("first", "second", null));
    expect(code).toBe(0);
    expect(out).toContain("One.");
    expect(out).toContain("Two.");
  });

  test("at the end the changes are shown before the question whether to commit them", async () => {
    const world = withScript([
      { calls: [{ name: "write_file", arguments: { path: "b.txt", content: "new line\n" } }] },
      { text: "Done." },
    ]);
    const seen: string[] = [];
    const note = (text: string | Uint8Array) => seen.push(String(text)) > 0;
    const model = `scripted/${path.join(world.root, "script.json")}`;
    await world.run(["chat", "go", "--model", model], {
      interactive: true,
      out: note,
      page: async (text) => void note(text),
      ask: async (question) => {
        note(question);
        return "y";
      },
    });
    const shown = seen.join("");
    expect(shown).toMatch(/\+new line\n(.*\n)*Commit the changes to the project\?/);
    expect(fs.readFileSync(path.join(world.root, "b.txt"), "utf8")).toBe("new line\n");
  });

  const NO = () => "n";

  /** A person types the lines in a session, and answers the questions. */
  async function typeInSession(
    world: CliWorld,
    answer: (question: string) => string,
    ...lines: readonly string[]
  ): Promise<Ran> {
    const ran = await world.run(["chat", "--model", "scripted", "--trust", "autonomous"], {
      ...typing(...lines, null),
      ask: async (question) => answer(question),
    });
    expect(ran.code).toBe(0);
    return ran;
  }

  test("/commit writes the named paths to the project after a yes", async () => {
    const world = openCliWorld({});
    const seen: string[][] = [];
    const answer = (question: string) => {
      seen.push([question, ...fs.readdirSync(world.root)]);
      return question.includes("these") ? "y" : "n";
    };
    const { err } = await typeInSession(world, answer, "write a.txt one", "write b.txt two", "/commit b.txt");
    expect(err).toContain("  b.txt\nCommitted 1 change.\n");
    // The last question is that of the end of the chat.
    expect(seen).toEqual([
      ["Commit these to the project? [y/N] "],
      [expect.stringContaining("Commit the changes"), "b.txt"],
    ]);
    expect(fs.readFileSync(path.join(world.root, "b.txt"), "utf8")).toBe("two\n");
  });

  test("/commit writes nothing after a no, and says so where there is nothing to commit", async () => {
    const world = openCliWorld({});
    const { err } = await typeInSession(world, NO, "/commit", "write a.txt one", "/commit");
    expect(err).toMatch(/^This is no model: .*\nNothing to commit\.\n {2}a\.txt\nSession /);
    expect(fs.readdirSync(world.root)).toEqual([]);
  });

  test("/rewind returns to the state before a call, and /undo restores what it removed", async () => {
    const lines = ["write a.txt one", "write b.txt two", "/rewind #2", "/diff", "/undo", "/diff"];
    const { out, err } = await typeInSession(openCliWorld({}), NO, ...lines);
    expect(err).toMatch(/^This is no model: .*\nRewound\. To take that back: \/undo\nRestored\.\nSession /);
    const [rewound, undone, atTheEnd] = [["+one"], ["+one", "+two"], ["+one", "+two"]];
    expect(out.match(/^\+\w+$/gm)).toEqual([...rewound, ...undone, ...atTheEnd]);
  });

  test("/rewind without a call, and to a call that does not exist, change nothing and say what to do", async () => {
    const { out, err } = await typeInSession(
      openCliWorld({}),
      NO,
      "write a.txt one",
      "/rewind",
      "/rewind #7",
    );
    expect(err).toMatch(/^This is no model: .*\nName a call: \/rewind #2\n.*#7.*\nSession /);
    expect(out.match(/^\+\w+$/gm)).toEqual(["+one"]);
  });

  test("/help and unknown commands are answered by hotcell, not by the model", async () => {
    const world = openCliWorld({});
    const { out, err } = await world.run(
      ["chat", "--model", "scripted", ...ON_HOST],
      typing("/help", "/dance", null),
    );
    expect(err).toContain("/diff");
    expect(err).toContain("There is no /dance.");
    expect(out).toBe("");
  });
});

describe("a question in a terminal", () => {
  const script = (at: string) => ({
    turns: [1, 2]
      .map((content) => ({
        calls: [{ name: "write_file", arguments: { path: at, content: `${content}\n` } }],
      }))
      .concat({ text: "Done." } as never),
  });

  /** Runs a script that writes the same file twice, and returns the questions. */
  async function askingChat(world: CliWorld, answer: string): Promise<string[]> {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return answer;
    };
    const model = `scripted/${path.join(world.root, "script.json")}`;
    await world.run(["chat", "go", "--model", model, "--fs", "host"], { interactive: true, ask });
    return asked;
  }
  const openWorld = () => openCliWorld({ "script.json": JSON.stringify(script("b.txt")) });

  test("offers a yes for the run and the project, and shows the rule that always saves", async () => {
    expect(await askingChat(openWorld(), "y")).toEqual(
      Array(2).fill(
        "Run it? [y]es, yes for this [r]un, yes for this [p]roject, [a]lways in this project by the rule allow write_file(b.txt), [N]o and why: ",
      ),
    );
  });

  test("shows the diff in colours, with tabs and nothing else that a terminal obeys", async () => {
    const content = "\tone\u001b[2J\n";
    const turns = [{ calls: [{ name: "write_file", arguments: { path: "a.txt", content } }] }, { text: "." }];
    const world = withScript(turns);
    const model = `scripted/${path.join(world.root, "script.json")}`;
    const args = ["chat", "go", "--model", model, "--fs", "host"];
    const ask = async () => "n";
    const plain = await world.run(args, { interactive: true, ask });
    expect(plain.err).toContain("\n@@ -1 +1 @@\n-hello\n+\tone\\u{1b}[2J\n");
    const coloured = await world.run(args, { interactive: true, errIsTerminal: true, ask });
    expect(coloured.err).toContain(
      "\n\u001b[36m@@ -1 +1 @@\u001b[m\n\u001b[31m-hello\u001b[m\n\u001b[32m+\tone\\u{1b}[2J\u001b[m\n",
    );
  });

  test("always saves the rule, which policy list shows and policy revoke takes back", async () => {
    const world = openWorld();
    expect((await askingChat(world, "a")).length).toBe(1);
    expect((await askingChat(world, "n")).length).toBe(0);
    const { out } = await world.run(["policy", "list"]);
    expect(out).toMatch(/^\w+ {2}allow write_file\(b\.txt\) {2}for project .*\n$/);
    expect(out).toContain(world.root);
    const [id] = out.split(" ");
    expect(await world.run(["policy", "revoke", id!])).toEqual({ code: 0, out: `Forgot ${id}.\n`, err: "" });
    expect((await world.run(["policy", "list"])).out).toBe("hotcell remembers no answer.\n");
    expect(await world.run(["policy", "revoke", id!])).toMatchObject({
      code: 2,
      err: expect.stringContaining("See hotcell policy list."),
    });
    expect((await askingChat(world, "y")).length).toBe(2);
  });

  test("a yes for the run is for this exact call, and ends with the run", async () => {
    const world = openWorld();
    expect((await askingChat(world, "run")).length).toBe(2);
    expect((await world.run(["policy", "list"])).out).toMatch(
      /^(\w+ {2}write_file, one exact call {2}for run run_\w+\n){2}$/,
    );
    expect((await askingChat(world, "n")).length).toBe(2);
  });

  test("what is not offered is a no", async () => {
    const world = openWorld();
    await askingChat(world, "session");
    expect(fs.existsSync(path.join(world.root, "b.txt"))).toBe(false);
  });
});
