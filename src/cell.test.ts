import fs from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { STUDIO_STAND_INS } from "../test/kit/worlds/stand-ins.ts";
import { openTempCell, type TempCell, tempDir } from "../test/kit/worlds/temp-cell.ts";
import type { ApprovalRequest } from "./approval/approve.ts";
import { openCell } from "./cell.ts";
import type { JsonObject } from "./core/json.ts";
import type { Observation } from "./core/types.ts";
import { listRuns, runPaths } from "./log/runs.ts";
import { verifyLog } from "./log/verify.ts";
import { defineTool, type Tool } from "./tools/define-tool.ts";

const META = {
  callId: "c1",
  outcome: "executed_ok",
  session: null,
  strategy: "host",
  isolation: "none",
  repairs: [],
  changes: null,
  artifact: null,
  durationMs: expect.any(Number),
};

const tool = (name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool =>
  defineTool({
    name,
    toolset: "own",
    description: "A tool of a test.",
    input: { type: "object", properties: { value: {} }, additionalProperties: false },
    category: "info",
    danger: "safe",
    effect: "read",
    needs: [],
    subject: "none",
    run,
    ...more,
  } as Parameters<typeof defineTool>[0]);

describe("one call", () => {
  test("many at once print no warning", async () => {
    const { cell } = await openTempCell({}, { "a.txt": "hello\n" });
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const call = { name: "search_files", arguments: { pattern: "hello" } };
    const found = await Promise.all(Array.from({ length: 30 }, () => cell.call(call)));
    expect(found.filter(({ success }) => success)).toHaveLength(30);
    expect(warnings).toEqual([]);
  });

  test("P1.5 gives a whole observation, the same frame for success and failure", async () => {
    const { cell } = await openTempCell({}, { "a.txt": "hello\n" });
    const sha256 = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
    expect(await cell.call({ id: "c1", name: "read_file", arguments: { path: "a.txt" } })).toEqual({
      success: true,
      tool: "read_file",
      output: { path: "a.txt", content: "1\thello", lines: 1, sha256, truncated: false },
      error: null,
      meta: META,
    });
    expect(await cell.call({ id: "c1", name: "read_file", arguments: { path: "b.txt" } })).toEqual({
      success: false,
      tool: "read_file",
      output: null,
      error: { code: "NOT_FOUND", message: 'Could not find "b.txt": nothing is there.' },
      meta: { ...META, outcome: "executed_error" },
    });
  });

  test("P1.4 time.now answers a name-only call, also in the legacy text form", async () => {
    const { cell } = await openTempCell();
    for (const request of [
      { name: "time.now" },
      '{"tool_call":{"name":"time.now"}}',
      '{"tool_call":{"name":"time.now","arguments":{}}}',
    ]) {
      const { success, output } = await cell.call(request);
      expect([success, output]).toEqual([
        true,
        { iso: expect.stringMatching(/^\d{4}-.*Z$/), unix_ms: expect.any(Number) },
      ]);
    }
  });

  test("P1.1 P1.2 P1.3 every tool runs through one runner, built-in or not", async () => {
    const { cell, records } = await openTempCell({
      tools: [tool("own.tool", ({ value }) => ({ got: value ?? null }))],
    });
    const { success, output } = await cell.call({ name: "own_tool", arguments: { value: [1, { a: "b" }] } });
    expect([success, output]).toEqual([true, { got: [1, { a: "b" }] }]);
    expect(records().map(({ kind, toolName }) => [kind, toolName])).toEqual([
      ["tool.intent", "own.tool"],
      ["tool.exec", "own.tool"],
    ]);
  });

  test("a failing tool is an observation, never a rejection, and the next call goes on (AC-24)", async () => {
    const bug = tool("own.bug", () => {
      throw new TypeError("broken inside");
    });
    const { cell, records } = await openTempCell({ tools: [bug] });
    const observation = await cell.call({ id: "c7", name: "own.bug" });
    const message =
      'own.bug failed because of a bug in hotcell or in the tool. The log has the details under call "c7".';
    expect(observation).toEqual({
      success: false,
      tool: "own.bug",
      output: null,
      error: { code: "INTERNAL_ERROR", message },
      meta: { ...META, callId: "c7", outcome: "executed_error" },
    });
    expect(records()[1]?.stack).toContain("TypeError: broken inside");
    expect((await cell.call({ name: "time.now" })).success).toBe(true);
  });

  test("a call that was cut off is never run", async () => {
    const { cell, root } = await openTempCell({ trust: "autonomous" });
    const request = { name: "write_file", arguments: { path: "a", content: "x" }, truncated: true };
    expect((await cell.call(request)).meta).toMatchObject({ outcome: "not_executed", why: "truncated" });
    expect(fs.readdirSync(root)).toEqual([]);
  });

  test.each([
    [
      { name: "raed_file", arguments: {} },
      "UNKNOWN_TOOL",
      "unknown_tool",
      'There is no tool "raed_file". Did you mean "read_file" or "write_file" or "find_files"?',
    ],
    [
      { name: "constructor" },
      "UNKNOWN_TOOL",
      "unknown_tool",
      'There is no tool "constructor". There are "read_file", "edit_file", "write_file", "list_directory", "find_files", "search_files", "run_command".',
    ],
    [
      { name: "read_file", arguments: "{" },
      "INVALID_ARGUMENTS",
      "invalid_args",
      expect.stringContaining("line 1, column 2"),
    ],
    [
      { name: "read_file", arguments: { path: 5 } },
      "INVALID_ARGUMENTS",
      "invalid_args",
      expect.stringMatching(/arguments\.path.*string.*5/),
    ],
  ])("P5.5 %j is refused as %s, saying what and where", async (request, code, why, message) => {
    const { cell, records } = await openTempCell();
    const { success, error, meta } = await cell.call(request);
    expect([success, error, meta.outcome, meta.why]).toEqual([false, { code, message }, "not_executed", why]);
    expect(records().map(({ kind }) => kind)).toEqual(["tool.exec"]);
  });

  const STUDIO = { output: expect.any(String), metadata: expect.any(Object), isError: true };
  test.each([
    [{ name: "file_read", arguments: "{" }, STUDIO],
    [{ name: "file_read", arguments: {}, truncated: true }, STUDIO],
    ['{"tool_call":{"name":"file_read","arguments":"{"}}', STUDIO],
    [
      { name: "fs_read", arguments: "{" },
      { ok: false, error: { code: "E_INVALID_ARGUMENTS" } },
    ],
    [
      { name: "read_file", arguments: "{" },
      { success: false, tool: "read_file" },
    ],
    [
      { name: "nope", arguments: "{" },
      { success: false, tool: "nope" },
    ],
    ["no call", { success: false, tool: "" }],
  ])("%j that can't be read is answered in the shape of its tool's toolset", async (request, shape) => {
    const { cell } = await openTempCell({ toolsets: ["sidecar", "studio", "mounts"] });
    const observation = await cell.call(request);
    expect(observation).toMatchObject(shape);
    expect(observation.meta.outcome).toBe("not_executed");
  });

  test("an observation does not reveal a tool outside the scope, also not by its shape", async () => {
    const scope = { permissions: { read_file: { allowed: true } } };
    const { cell } = await openTempCell({ toolsets: ["sidecar", "studio"], scope });
    expect(await cell.call({ name: "file_read", arguments: "{" })).toMatchObject({ success: false });
  });

  test("repairs are named: text for a number, a double-encoded object", async () => {
    const { cell } = await openTempCell({}, { "a.txt": "1\n2\n3\n" });
    const { output, meta } = await cell.call({
      name: "read_file",
      arguments: JSON.stringify('{"path":"a.txt","start_line":"3"}'),
    });
    expect(output?.content).toBe("3\t3");
    expect(meta.repairs).toEqual([
      expect.stringMatching(/twice|double|encoded/i),
      expect.stringContaining("start_line"),
    ]);
  });

  test("what a tool gives that is not JSON is a failure, not a crash", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const odd = [cyclic, { big: 1n }, { toJSON: () => "x" }, "hello", { at: new Date(0) }];
    const says = [
      "result.self: it contains",
      "result.big: 1n",
      "result.toJSON: ",
      "result: expected",
      "result.at: ",
    ];
    const { cell, records } = await openTempCell({
      tools: [tool("own.odd", ({ value }) => odd[Number(value)] as unknown as JsonObject)],
    });
    for (const value of odd.keys()) {
      const { error, meta } = await cell.call<Observation>({ name: "own.odd", arguments: { value } });
      expect([error?.code, meta.outcome]).toEqual(["INVALID_OUTPUT", "executed_error"]);
      expect(error?.message).toContain(`its result is not a JSON object: ${says[value]}`);
    }
    expect(records().filter(({ kind }) => kind === "tool.exec").length).toBe(odd.length);
  });

  test("what is too long for an observation is cut, said so, and kept as an artifact", async () => {
    const text = "0123456789".repeat(400_000);
    const { cell } = await openTempCell({ tools: [tool("own.flood", () => ({ text }))] });
    const { output, meta } = await cell.call({ name: "own.flood" });
    const { text: shown, truncated } = output as { text: string; truncated: boolean };
    expect(truncated).toBe(true);
    expect(shown.length).toBeLessThan(2_000_000);
    expect(shown).toMatch(/^0123456789.*characters cut.*0123456789$/s);
    const kept = path.join(path.dirname(cell.logFile), "artifacts", String(meta.artifact));
    expect(fs.readFileSync(kept, "utf8")).toBe(text);
  });
});

describe("trust and rules", () => {
  const asked = (answer: boolean) => {
    const requests: ApprovalRequest[] = [];
    const onAsk = (request: ApprovalRequest) => {
      requests.push(request);
      return answer;
    };
    return { requests, onAsk };
  };

  test("AC-21 guided runs a safe tool without asking", async () => {
    const { requests, onAsk } = asked(true);
    const { cell } = await openTempCell({ trust: "guided", onAsk, tools: STUDIO_STAND_INS });
    expect((await cell.call<Observation>({ name: "file_read", arguments: { path: "a" } })).success).toBe(
      true,
    );
    expect(requests).toEqual([]);
  });

  test.each([true, false])(
    "AC-22 guided asks before a dangerous tool, and waits: the answer is %s",
    async (answer) => {
      const { requests, onAsk } = asked(answer);
      const { cell, records } = await openTempCell({ trust: "guided", onAsk, tools: STUDIO_STAND_INS });
      const { success, meta } = await cell.call<Observation>({
        id: "c1",
        name: "bash",
        arguments: { command: "ls" },
      });
      expect([success, meta.outcome]).toEqual(answer ? [true, "executed_ok"] : [false, "not_executed"]);
      expect(requests).toEqual([
        expect.objectContaining({
          callId: "c1",
          tool: "bash",
          arguments: { command: "ls" },
          digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        }),
      ]);
      expect(records().some(({ kind }) => kind === "tool.intent")).toBe(answer);
    },
  );

  test("AC-23 autonomous asks for nothing; a configured ask or deny still holds", async () => {
    const { requests, onAsk } = asked(true);
    const rules = ["ask bash(git push *)", "deny file_write(vendor/**)"];
    const { cell } = await openTempCell({ trust: "autonomous", onAsk, rules, tools: STUDIO_STAND_INS });
    const call = async (name: string, args: JsonObject) =>
      (await cell.call({ name, arguments: args })).success;
    expect(await call("bash", { command: "ls" })).toBe(true);
    expect(await call("file_write", { path: "a", content: "" })).toBe(true);
    expect(requests.length).toBe(0);
    expect(await call("bash", { command: "git push origin" })).toBe(true);
    expect(requests.length).toBe(1);
    expect(await call("file_write", { path: "vendor/a", content: "" })).toBe(false);
  });

  test.each([
    [undefined, "onAsk answered undefined; allowed are true, false and { approved }. No rule"],
    ["yes", 'onAsk answered "yes"; allowed are true, false and { approved }. No rule'],
    [{ allow: true }, "onAsk answered an object; allowed are true, false and { approved }. No rule"],
    [
      { approved: true, remember: "session" },
      "the answer could not be taken. Such a yes holds for this call or this project; say in remember.for which. No rule",
    ],
  ])("an onAsk that answers %j denies the call, and the error says what is allowed", async (answer, says) => {
    const onAsk = () => answer as never;
    const { cell } = await openTempCell({ trust: "supervised", onAsk });
    const { error } = await cell.call<Observation>({ name: "time.now" });
    expect(error).toMatchObject({ code: "DENIED", message: expect.stringContaining(says) });
  });

  test("the reason of a no is told as the person wrote it", async () => {
    const onAsk = () => ({ approved: false, reason: "only notes today" });
    const { cell } = await openTempCell({ trust: "supervised", onAsk });
    const { error } = await cell.call<Observation>({ name: "time.now" });
    expect(error?.message).toMatch(
      /^time.now was not run: it needs approval, which was not given: only notes today\. /,
    );
  });

  test("supervised asks for everything", async () => {
    const { requests, onAsk } = asked(true);
    const { cell } = await openTempCell({ trust: "supervised", onAsk });
    await cell.call({ name: "time.now" });
    expect(requests.length).toBe(1);
  });

  test("a rule can't be walked round through a link: the path is judged where it leads", async () => {
    const { cell, root } = await openTempCell(
      { trust: "autonomous", rules: ["deny write_file(vendor/**)"] },
      { "vendor/a": "old" },
    );
    fs.symlinkSync("vendor", path.join(root, "link"));
    const { error } = await cell.call({ name: "write_file", arguments: { path: "link/a", content: "new" } });
    expect(error?.code).toBe("DENIED");
    expect(fs.readFileSync(path.join(root, "vendor/a"), "utf8")).toBe("old");
  });

  test("the decision is written down with the rule's text and place", async () => {
    const rule = { text: "allow write_file(src/**)", source: "hotcell.config.json", line: 3 };
    const { cell, records } = await openTempCell({ rules: [rule] });
    await cell.call({ name: "write_file", arguments: { path: "src/a", content: "" } });
    expect(records().map((record) => record.rule)).toEqual([rule, rule]);
  });

  test("an ask that nobody can answer is a denial that says so", async () => {
    const { cell } = await openTempCell();
    const { error, meta } = await cell.call({ name: "write_file", arguments: { path: "a", content: "" } });
    expect([meta.outcome, meta.why]).toEqual(["not_executed", "denied"]);
    expect(error?.message).toBe(
      'write_file was not run: it needs approval, which was not given: nobody can be asked: the cell has no onAsk function, nor the rule "allow write_file(a)". write_file is dangerous and no rule allows it.',
    );
  });
});

test("where a rule asks, no allow rule is suggested, because it would not help", async () => {
  const { cell } = await openTempCell({ rules: ["ask write_file(*)"] });
  const { error } = await cell.call({ name: "write_file", arguments: { path: "a", content: "" } });
  expect(error?.message).toContain("nobody can be asked: the cell has no onAsk function. ");
  expect(error?.message).not.toContain("allow write_file");
});

describe("approvals", () => {
  const write = { id: "c1", name: "write_file", arguments: { path: "a", content: "shown" } };

  test("an answer for other arguments approves nothing", async () => {
    const { cell, root } = await openTempCell({
      onAsk: () => ({ approved: true, digest: "0".repeat(64) }),
    });
    expect((await cell.call(write)).success).toBe(false);
    expect(fs.readdirSync(root)).toEqual([]);
  });

  test("the shown arguments are those that run: they are frozen before they are shown", async () => {
    const args = { path: "a", content: "shown" };
    const onAsk = (request: ApprovalRequest) => {
      args.content = "swapped";
      expect(() => Object.assign(request.arguments, { content: "swapped" })).toThrow(TypeError);
      return true;
    };
    const { cell, root } = await openTempCell({ onAsk });
    await cell.call({ name: "write_file", arguments: args });
    expect(fs.readFileSync(path.join(root, "a"), "utf8")).toBe("shown");
  });

  test("one answer approves one call: the next one is asked again", async () => {
    let asked = 0;
    const { cell } = await openTempCell({ onAsk: () => ++asked === 1 });
    expect((await cell.call(write)).success).toBe(true);
    expect((await cell.call(write)).success).toBe(false);
    expect(asked).toBe(2);
  });

  test("an onAsk function that throws is a no", async () => {
    const onAsk = () => Promise.reject(new Error("window closed"));
    const { cell } = await openTempCell({ onAsk });
    const { error } = await cell.call(write);
    expect(error?.message).toContain("asking failed (window closed)");
  });

  test("a link that came to lead to a denied place while the person thought is found", async () => {
    const onAsk = () => {
      fs.rmSync(path.join(root, "link"));
      fs.symlinkSync("vendor", path.join(root, "link"));
      return true;
    };
    const files = { "vendor/a": "old", "src/a": "old" };
    const { cell, root } = await openTempCell({ onAsk, rules: ["deny write_file(vendor/**)"] }, files);
    fs.symlinkSync("src", path.join(root, "link"));
    const { error } = await cell.call({ name: "write_file", arguments: { path: "link/a", content: "new" } });
    expect(error?.code).toBe("DENIED");
    expect(fs.readFileSync(path.join(root, "vendor/a"), "utf8")).toBe("old");
  });
});

describe("where a path really leads", () => {
  /** A tool that swaps a link and then writes through it, as a process beside hotcell may. */
  const swapThenWrite = (root: () => string, to: string) =>
    defineTool({
      name: "own.write",
      toolset: "own",
      description: "Writes after a swap.",
      input: { type: "object", properties: { path: { type: "string" } }, additionalProperties: false },
      category: "file",
      danger: "dangerous",
      effect: "change",
      needs: ["workspace"],
      subject: "path",
      run({ path: at }: { path: string }, { workspace }) {
        fs.rmSync(path.join(root(), "link"));
        fs.symlinkSync(to, path.join(root(), "link"));
        return { path: workspace.write(at, "new").path };
      },
    });

  test("an approval for one file writes no other, wherever a link has come to lead meanwhile", async () => {
    const shown: (readonly string[])[] = [];
    const onAsk = ({ paths }: ApprovalRequest) => shown.push(paths) > 0;
    const world: TempCell = await openTempCell(
      { onAsk, tools: [swapThenWrite(() => world.root, "src")] },
      { "docs/a": "old", "src/a": "old" },
    );
    fs.symlinkSync("docs", path.join(world.root, "link"));
    const { error } = await world.cell.call({ name: "own.write", arguments: { path: "link/a" } });
    expect(shown).toEqual([["docs/a"]]);
    expect(error?.message).toContain('own.write was refused at "src/a", where the path leads now.');
    expect(fs.readFileSync(path.join(world.root, "src/a"), "utf8")).toBe("old");
  });

  test("a deny rule holds where a file is opened, whatever the path led to when it was judged", async () => {
    const world: TempCell = await openTempCell(
      {
        trust: "autonomous",
        rules: ["deny own.write(vendor/**)"],
        tools: [swapThenWrite(() => world.root, "vendor")],
      },
      { "vendor/a": "old", "src/a": "old" },
    );
    fs.symlinkSync("src", path.join(world.root, "link"));
    const { error } = await world.cell.call({ name: "own.write", arguments: { path: "link/a" } });
    expect(error?.code).toBe("DENIED");
    expect(fs.readFileSync(path.join(world.root, "vendor/a"), "utf8")).toBe("old");
  });

  test("a recursive listing does not enter what a rule denies, and says so", async () => {
    const rules = ["deny list_directory(private/**)"];
    const { cell } = await openTempCell({ rules }, { "private/plan": "", "public/a": "" });
    const { output } = await cell.call({ name: "list_directory", arguments: { recursive: true } });
    const { entries, note } = output as unknown as { entries: { name: string }[]; note: string };
    expect(entries.map(({ name }) => name)).toEqual(["private", "public", "public/a"]);
    expect(note).toBe("Not listed: private. List each by its own path.");
  });

  test("what was asked for the whole listing is not asked again below", async () => {
    const { cell } = await openTempCell({ trust: "supervised", onAsk: () => true }, { "a/b/c": "" });
    const { output } = await cell.call({ name: "list_directory", arguments: { recursive: true } });
    expect(output?.entries).toHaveLength(3);
  });

  test("deny and ask rules know no case, for some file systems do not either", async () => {
    const { cell } = await openTempCell({ rules: ["deny read_file(private/**)"] }, { "PRIVATE/a": "x" });
    expect((await cell.call({ name: "read_file", arguments: { path: "PRIVATE/a" } })).error?.code).toBe(
      "DENIED",
    );
  });
});

describe("a batch", () => {
  test("asks everything at once, runs reads side by side and changes in order, and answers in the order of the calls", async () => {
    const events: string[] = [];
    let release: () => void = () => {};
    const bothRead = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slowRead = tool("own.read", async ({ value }) => {
      events.push(`read ${value}`);
      if (events.filter((event) => event.startsWith("read")).length === 2) release();
      await bothRead;
      return { value: value ?? null };
    });
    const change = tool(
      "own.change",
      ({ value }) => {
        events.push(`change ${value}`);
        return { value: value ?? null };
      },
      { effect: "change", danger: "dangerous" },
    );
    const onAsk = ({ arguments: { value } }: ApprovalRequest) => {
      events.push(`ask ${value}`);
      return true;
    };
    const { cell } = await openTempCell({ tools: [slowRead, change], onAsk });
    const calls = [
      ["own.change", 1],
      ["own.read", 2],
      ["own.read", 3],
      ["nope", 4],
      ["own.change", 5],
    ] as const;
    const results = await cell.callBatch(calls.map(([name, value]) => ({ name, arguments: { value } })));
    expect(results.map(({ output }) => output?.value ?? null)).toEqual([1, 2, 3, null, 5]);
    expect(events).toEqual(["ask 1", "ask 5", "change 1", "read 2", "read 3", "change 5"]);
  });

  test("a call sees what the calls before it did", async () => {
    const { cell } = await openTempCell({ trust: "autonomous" }, { a: "old\n" });
    const results = await cell.callBatch([
      { name: "read_file", arguments: { path: "a" } },
      { name: "write_file", arguments: { path: "a", content: "new\n" } },
      { name: "read_file", arguments: { path: "a" } },
    ]);
    expect(results.map(({ output }) => output?.content ?? null)).toEqual(["1\told", null, "1\tnew"]);
  });

  test("a change in it can't turn an allowed path into a denied one", async () => {
    const swap = tool(
      "own.swap",
      () => {
        fs.rmSync(path.join(root, "link"));
        fs.symlinkSync("vendor", path.join(root, "link"));
        return {};
      },
      { effect: "change" },
    );
    const options = { trust: "autonomous", tools: [swap], rules: ["deny write_file(vendor/**)"] } as const;
    const { cell, root } = await openTempCell(options, { "vendor/a": "old", "src/a": "old" });
    fs.symlinkSync("src", path.join(root, "link"));
    const results = await cell.callBatch([
      { name: "own.swap" },
      { name: "write_file", arguments: { path: "link/a", content: "new" } },
    ]);
    expect(results.map(({ success }) => success)).toEqual([true, false]);
    expect(fs.readFileSync(path.join(root, "vendor/a"), "utf8")).toBe("old");
  });

  test("over the limit is refused whole", async () => {
    const { cell } = await openTempCell();
    await expect(cell.callBatch(Array(129).fill({ name: "time.now" }))).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
    });
  });
});

describe("ending a call", () => {
  const hangs = tool("own.hang", () => new Promise(() => {}));

  test("a signal ends a call that waits for its tool, one that waits for a person, and one that has not begun", async () => {
    const controller = new AbortController();
    let began: () => void = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const waits = tool("own.hang", () => {
      began();
      return new Promise(() => {});
    });
    const onAsk = () => new Promise<boolean>(() => {});
    const { cell, records } = await openTempCell({ tools: [waits], onAsk });
    const signal = controller.signal;
    const running = cell.call({ id: "run", name: "own.hang" }, { signal });
    const waiting = cell.call(
      { id: "ask", name: "write_file", arguments: { path: "a", content: "" } },
      { signal },
    );
    await hasBegun;
    controller.abort();
    const ended = [
      await running,
      await waiting,
      await cell.call({ id: "new", name: "time.now" }, { signal }),
    ];
    expect(ended.map(({ error, meta }) => [error?.code, meta.outcome, meta.why])).toEqual([
      ["CANCELLED", "executed_error", undefined],
      ["CANCELLED", "not_executed", "cancelled"],
      ["CANCELLED", "not_executed", "cancelled"],
    ]);
    const ends = records().filter(({ kind }) => kind === "tool.exec");
    expect(ends.map(({ toolCallId }) => toolCallId).sort()).toEqual(["ask", "new", "run"]);
  });

  test("out-040 a call that takes too long ends with TIMEOUT and exactly one record", async () => {
    const { cell, records } = await openTempCell({ tools: [hangs], timeoutMs: 20 });
    const { error, meta } = await cell.call({ name: "own.hang" });
    expect([error, meta.outcome]).toEqual([
      { code: "TIMEOUT", message: "own.hang did not end within 20 ms." },
      "executed_error",
    ]);
    expect(records().map(({ kind }) => kind)).toEqual(["tool.intent", "tool.exec"]);
  });

  test("a scope's timeout goes before the tool's and the cell's", async () => {
    const scope = { permissions: { "own.hang": { allowed: true, timeout: "15ms" } } };
    const { cell } = await openTempCell({ tools: [hangs], scope });
    expect((await cell.call({ name: "own.hang" })).error).toMatchObject({
      message: "own.hang did not end within 15 ms.",
    });
  });

  test("closing the cell ends its calls first, and later calls are refused", async () => {
    const { cell } = await openTempCell({ tools: [hangs] });
    const running = cell.call({ name: "own.hang" });
    await cell.close();
    expect((await running).error).toMatchObject({ code: "CANCELLED" });
    await expect(cell.call({ name: "time.now" })).rejects.toMatchObject({ code: "WORKSPACE_UNUSABLE" });
    expect(() => cell.explain("time.now", {})).toThrow(
      expect.objectContaining({ code: "WORKSPACE_UNUSABLE" }),
    );
  });
});

test("a call without arguments is explained without arguments", async () => {
  const { cell } = await openTempCell();
  expect(cell.explain("time.now")).toEqual(cell.explain("time.now", {}));
  expect(() => cell.explain("read_file")).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENTS" }));
});

test("a callback onEvent that throws is a warning of the process, and the call goes on", async () => {
  const { cell } = await openTempCell();
  const warnings: string[] = [];
  const keep = ({ message }: Error) => warnings.push(message);
  process.on("warning", keep);
  onTestFinished(() => void process.off("warning", keep));
  const onEvent = () => {
    throw new Error("the screen is gone");
  };
  const { success } = await cell.call({ name: "time.now" }, { onEvent });
  await new Promise((resolve) => setImmediate(resolve));
  expect(success).toBe(true);
  expect(warnings[0]).toMatch(/^The callback onEvent threw: Error: the screen is gone\n/);
});

test("a call that was cancelled before it was asked about asks nobody, and ends nothing but itself", async () => {
  let asked = 0;
  const { cell } = await openTempCell({ onAsk: () => ++asked > 0 });
  const unhandled: unknown[] = [];
  process.once("unhandledRejection", (reason) => unhandled.push(reason));
  const request = { name: "write_file", arguments: { path: "a", content: "" } };
  const { error } = await cell.call(request, { signal: AbortSignal.abort() });
  await new Promise((resolve) => setImmediate(resolve));
  expect([error?.code, asked, unhandled]).toEqual(["CANCELLED", 0, []]);
});

test("whatever a tool throws is an observation", async () => {
  const odd = [
    Object.create(null),
    Object.assign(new Error("x"), { stack: 5 }),
    Symbol("x"),
    undefined,
    () => {},
  ];
  const throwing = tool("own.throw", ({ value }) => {
    throw odd[Number(value)];
  });
  const { cell, records } = await openTempCell({ tools: [throwing] });
  for (const value of odd.keys()) {
    expect((await cell.call({ name: "own.throw", arguments: { value } })).error?.code).toBe("INTERNAL_ERROR");
  }
  expect(records().filter(({ kind }) => kind === "tool.exec").length).toBe(odd.length);
});

test("calls with the same id can be distinguished in the log", async () => {
  let end: () => void = () => {};
  const waits = tool(
    "own.wait",
    () =>
      new Promise<JsonObject>((resolve) => {
        end = () => resolve({});
      }),
  );
  const { cell, records } = await openTempCell({ tools: [waits] });
  const running = cell.call({ id: "same", name: "own.wait" });
  await cell.call({ id: "same", name: "read_file", arguments: { path: "../x" } });
  end();
  await running;
  expect(records().map(({ kind, outcome, intent }) => [kind, outcome, intent])).toEqual([
    ["tool.intent", undefined, undefined],
    ["tool.exec", "not_executed", undefined],
    ["tool.exec", "executed_ok", 1],
  ]);
});

describe("a scope", () => {
  test("AC-9 narrows what is listed and what can be called", async () => {
    const scope = {
      permissions: { read_file: { allowed: true, paths: ["docs"] }, write_file: { allowed: false } },
    };
    const { cell } = await openTempCell({ scope }, { "docs/a": "a", b: "b" });
    expect(cell.tools("mcp").map((definition) => (definition as JsonObject).name)).toEqual(["read_file"]);
    const call = async (name: string, at: string) =>
      (await cell.call({ name, arguments: { path: at } })).error;
    expect(await call("read_file", "docs/a")).toBeNull();
    expect(await call("read_file", "b")).toMatchObject({ code: "DENIED" });
    expect(await call("list_directory", ".")).toMatchObject({ code: "UNKNOWN_TOOL" });
  });
});

describe("the log", () => {
  test("out-038 a refused escape is recorded with path and reason, and nothing is run", async () => {
    const { cell, records } = await openTempCell();
    await cell.call({ id: "c1", name: "read_file", arguments: { path: "x/../../../etc/passwd" } });
    const record = records()[0]!;
    expect(records().length).toBe(1);
    expect(record).toMatchObject({
      kind: "tool.exec",
      toolCallId: "c1",
      toolName: "read_file",
      input: { path: "x/../../../etc/passwd" },
      outcome: "not_executed",
      why: "denied",
      output: {
        success: false,
        error: {
          code: "PATH_OUTSIDE_WORKSPACE",
          details: { path: "../../etc/passwd", reason: "path leads outside" },
        },
      },
    });
  });

  test("out-039 unknown tools and malformed JSON are recorded too", async () => {
    const { cell, records } = await openTempCell();
    await cell.call({ name: 'no\nsuch"tool' });
    await cell.call({ name: "read_file", arguments: "{" });
    await cell.call("not a call");
    expect(records().map(({ kind, why }) => [kind, why])).toEqual([
      ["tool.exec", "unknown_tool"],
      ["tool.exec", "invalid_args"],
      ["tool.exec", "invalid_args"],
    ]);
  });

  test("never holds file contents", async () => {
    const { cell } = await openTempCell({ trust: "autonomous" });
    const content = `begin ${"x".repeat(5000)} the-end-of-the-file`;
    await cell.call({ name: "write_file", arguments: { path: "a", content } });
    await cell.call({ name: "read_file", arguments: { path: "a" } });
    expect(fs.readFileSync(cell.logFile, "utf8")).not.toContain("the-end-of-the-file");
  });

  test("crash-023 a call whose intent can't be recorded is not run, and says so", async () => {
    const { cell, root } = await openTempCell({ trust: "autonomous" });
    await cell.call({ name: "time.now" });
    fs.rmSync(cell.logFile);
    const { error, meta } = await cell.call({ name: "write_file", arguments: { path: "a", content: "x" } });
    expect([error?.code, meta.outcome]).toEqual(["LOG_UNAVAILABLE", "not_executed"]);
    expect(fs.readdirSync(root)).toEqual([]);
  });

  test("crash-023 a call that ran and could not be recorded is given as a failure that says it ran", async () => {
    const removesLog = tool("own.remove", () => {
      fs.rmSync(cell.logFile);
      return {};
    });
    const { cell } = await openTempCell({ tools: [removesLog] });
    const { success, error, meta } = await cell.call({ name: "own.remove" });
    expect([success, error?.code, meta.outcome]).toEqual([false, "LOG_UNAVAILABLE", "executed_ok"]);
    await expect(cell.close()).rejects.toMatchObject({ code: "LOG_UNAVAILABLE" });
  });

  test("of cells that are open together on one project is each one's own; their @state is the same", async () => {
    const { cell, root, stateDir } = await openTempCell({ trust: "autonomous", toolsets: ["mounts"] });
    const open = () =>
      openCell({ workspace: root, stateDir, fs: "host", trust: "autonomous", toolsets: ["mounts"] });
    const second = await open();
    onTestFinished(() => second.close());
    await cell.call({ name: "fs.write", arguments: { path: "@state/n", content: "1" } });
    expect(await second.call({ name: "fs.read", arguments: { path: "@state/n" } })).toMatchObject({
      content: "1",
    });
    const [run] = listRuns(stateDir);
    const places = [run!, `${run}.2`].map((id) => runPaths(stateDir, id));
    expect([cell.logFile, second.logFile]).toEqual(places.map(({ logFile }) => logFile));
    for (const { logFile, anchorFile } of places)
      expect(verifyLog(logFile, anchorFile)).toMatchObject({ ok: true, records: 2, unknown: [] });
    await cell.close();
    const third = await open();
    onTestFinished(() => third.close());
    expect(third.logFile).toBe(cell.logFile);
  });

  test("is not reachable through any tool: state inside the workspace is refused, and the other way round", async () => {
    const dir = tempDir();
    for (const [workspace, stateDir] of [
      [dir, path.join(dir, "state")],
      [path.join(dir, "state/ws"), path.join(dir, "state")],
      [dir, dir],
    ] as const) {
      fs.mkdirSync(workspace, { recursive: true });
      await expect(openCell({ workspace, stateDir })).rejects.toMatchObject({
        code: "WORKSPACE_UNUSABLE",
        message: expect.stringContaining("HOTCELL_STATE_DIR"),
      });
    }
  });

  test("a link can't hide that the state is inside the workspace", async () => {
    const dir = tempDir();
    fs.mkdirSync(path.join(dir, "ws"));
    fs.symlinkSync("ws", path.join(dir, "link"));
    await expect(
      openCell({ workspace: path.join(dir, "ws"), stateDir: path.join(dir, "link/state") }),
    ).rejects.toMatchObject({
      code: "WORKSPACE_UNUSABLE",
    });
  });
});

describe("opening a cell", () => {
  test.each([
    [{ fs: "docker" as "host" }, "CONFIG_INVALID"],
    [{ fs: "host", session: "none" }, "CONFIG_INVALID"],
    [{ session: "none" }, "NOT_FOUND"],
    [{ approve: "none" as "calls" }, "CONFIG_INVALID"],
    [{ toolsets: ["nope"] }, "CONFIG_INVALID"],
    [{ trust: "Autonomous" as "autonomous" }, "CONFIG_INVALID"],
    [{ timeoutMs: 0 }, "CONFIG_INVALID"],
    [{ timeoutMs: Number.NaN }, "CONFIG_INVALID"],
    [{ toolchains: ["/nowhere/at/all"] }, "CONFIG_INVALID"],
    [{ toolchains: ["/dev/null"] }, "CONFIG_INVALID"],
    [{ toolchains: ["relative"] }, "CONFIG_INVALID"],
    [{ env: { "A=B": "c" } }, "CONFIG_INVALID"],
    [{ env: { "A\0": "c" } }, "CONFIG_INVALID"],
    [{ rules: ["allow raed_file"] }, "POLICY_INVALID"],
    [{ scope: { permissions: { read_file: { allowed: true, timeout: "5 minutes" } } } }, "POLICY_INVALID"],
    [{ workspace: "/nowhere/at/all" }, "WORKSPACE_UNUSABLE"],
    [{ tools: [tool("read_file", () => ({}))] }, "DUPLICATE_TOOL"],
    [{ tools: [{}] as never }, "CONFIG_INVALID"],
    [{ onAsk: "yes" as never }, "CONFIG_INVALID"],
  ] as const)("with %j is refused as %s", async (options, code) => {
    const dir = tempDir();
    await expect(openCell({ workspace: dir, stateDir: `${dir}-state`, ...options })).rejects.toMatchObject({
      code,
    });
  });

  test.each([
    [{ protect: { secret: ["x"] } }, 'protect.secret is no setting; perhaps "secrets"'],
    [{ protect: { secrets: "x" } }, 'protect.secrets is "x"; allowed is a list of 0 to 1000'],
    [{ protect: { allow: [5] } }, "protect.allow[0] is 5; allowed is text that is not empty"],
    [{ protect: null }, "protect is null; allowed is an object"],
    [{ secrets: [5] }, "secrets[0] is 5; allowed is text"],
    [{ secrets: "x" }, 'secrets is "x"; allowed is a list'],
    [
      { limits: { outputBytes: -1 } },
      "limits.outputBytes is -1; allowed are whole numbers from 1 to 9007199254740991",
    ],
    [{ limits: { processes: 1.5 } }, expect.stringContaining("limits.processes is 1.5; allowed are whole")],
    [{ limits: { outputByte: 1 } }, 'limits.outputByte is no setting; perhaps "outputBytes"'],
    [
      { limits: { foo: 1 } },
      expect.stringMatching(/limits\.foo is no setting; the settings are .*"outputBytes"/),
    ],
    [{ toolchains: "/usr" }, 'toolchains is "/usr"; allowed is a list of 0 to 1000'],
    [{ toolsets: "studio" }, 'toolsets is "studio"; allowed is a list'],
    [{ rules: "deny bash" }, 'rules is "deny bash"; allowed is a list'],
    [{ rules: [null] }, "rules[0] is null; allowed is text"],
    [{ fs: "Overlay" }, 'fs is "Overlay"; allowed are "host", "overlay", "agentfs"'],
    [{ workspace: 5 }, "workspace is 5; allowed is text that is not empty"],
    [{ workspace: "" }, 'workspace is ""; allowed is text that is not empty'],
    [{ env: { A: 5 } }, "env.A is 5; allowed is text without NUL"],
    [{ env: { A: "b\0c" } }, expect.stringMatching(/env\.A is "b.*c"; allowed is text without NUL\.$/)],
    [{ model: {} }, "model is no model; open one with openModel of hotcell/agent"],
    [{ agents: { a: null } }, 'agents["a"] is null; allowed is an object'],
    [
      { agents: { a: { maxReadByte: 1 } } },
      'agents["a"].maxReadByte is no setting; perhaps "maxReadBytes" or "maxWriteBytes"',
    ],
    [{ trsut: "supervised" }, 'trsut is no setting; perhaps "trust"'],
    [{ timeout: 5 }, 'timeout is no setting; perhaps "timeoutMs"'],
    [
      { readOnlyPlease: true },
      expect.stringMatching(
        /: readOnlyPlease is no setting; the settings are "workspace", .*"onProgress"\.$/,
      ),
    ],
    [{ constructor: {} }, expect.stringContaining("constructor is no setting; ")],
    [{ mounts: { docs: {} } }, 'mounts.docs has no "path"; give it one'],
    [
      { mounts: { docs: { path: "/tmp", acess: "rw" } } },
      'mounts.docs.acess is no setting; perhaps "access"',
    ],
    [{ scope: { permisions: {} } }, 'scope.permisions is no setting; perhaps "permissions"'],
    [
      { scope: { permissions: { read_file: { allowed: true, path: ["src"] } } } },
      'scope.permissions.read_file.path is no setting; perhaps "paths"',
    ],
    [
      { scope: { permissions: { read_file: { allowed: true, paths: "src" } } } },
      'scope.permissions.read_file.paths is "src"; allowed is a list',
    ],
  ])("with %j is refused, saying what is allowed", async (options, problem) => {
    const dir = tempDir();
    const opening = openCell({ workspace: dir, stateDir: `${dir}-state`, ...(options as object) });
    const message = typeof problem === "string" ? `Could not open the cell: ${problem}.` : problem;
    await expect(opening).rejects.toMatchObject({ code: "CONFIG_INVALID", message });
    expect(fs.existsSync(`${dir}-state`)).toBe(false);
  });

  test("an option that is undefined counts as left out", async () => {
    const options = {
      limits: { outputBytes: undefined },
      protect: { secrets: undefined },
      env: undefined,
      agents: { a: { maxReadBytes: undefined } },
      scope: { permissions: { read_file: { allowed: true, paths: undefined } } },
      noSuchOption: undefined,
    };
    const { cell } = await openTempCell(options as object, { "a.txt": "hi\n" });
    expect((await cell.call({ name: "read_file", arguments: { path: "a.txt" } })).success).toBe(true);
  });

  test("a scope that is null is none", async () => {
    const { cell } = await openTempCell({ scope: null }, { "a.txt": "hi\n" });
    expect((await cell.call({ name: "read_file", arguments: { path: "a.txt" } })).success).toBe(true);
  });

  test("what fails leaves nothing open", async () => {
    const dir = tempDir();
    const open = () => fs.readdirSync("/proc/self/fd").length;
    const options = { workspace: dir, stateDir: `${dir}-state`, fs: "host" } as const;
    onTestFinished(() => fs.rmSync(`${dir}-state`, { recursive: true }));
    const before = open();
    const { statSync } = fs;
    const stat = vi.spyOn(fs, "statSync").mockImplementation(((...args: Parameters<typeof statSync>) => {
      if (args[0] === dir && new Error().stack?.includes("openCommandView")) throw new Error("gone");
      return statSync(...args);
    }) as typeof statSync);
    onTestFinished(() => stat.mockRestore());
    await expect(openCell(options)).rejects.toThrow("gone");
    expect(open()).toBe(before);
  });

  test("a cell is disposable", async () => {
    const { cell } = await openTempCell();
    await cell[Symbol.asyncDispose]();
    await expect(cell.call({ name: "time.now" })).rejects.toMatchObject({ code: "WORKSPACE_UNUSABLE" });
  });
});

test("what is no option, list or call is an error with a code, never a TypeError", async () => {
  const { cell } = await openTempCell();
  const time = { name: "time.now" };
  const wrong: [() => Promise<unknown>, string][] = [
    [() => openCell(null as never), "CONFIG_INVALID"],
    [() => cell.call(time, null as never), "CONFIG_INVALID"],
    [() => cell.call(time, { signal: "x" as never }), "CONFIG_INVALID"],
    [() => cell.call(time, { onEvent: "x" as never }), "CONFIG_INVALID"],
    [() => cell.call(time, { agentId: 5 as never }), "CONFIG_INVALID"],
    [() => cell.call(time, { sginal: null } as never), "CONFIG_INVALID"],
    [() => cell.callBatch([time], { cwd: "." } as never), "CONFIG_INVALID"],
    [() => cell.exec(["true"], { cdw: "." } as never), "CONFIG_INVALID"],
    [() => cell.callBatch({} as never), "INVALID_ARGUMENTS"],
    [() => cell.diff(null as never), "CONFIG_INVALID"],
    [async () => cell.explain(undefined as never, {}), "INVALID_ARGUMENTS"],
    [async () => cell.tools("x" as never), "INVALID_ARGUMENTS"],
  ];
  for (const [attempt, code] of wrong) await expect(attempt()).rejects.toMatchObject({ code });
});
