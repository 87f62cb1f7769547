import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { ApprovalAnswer, ApprovalRequest } from "../../src/approval/approve.ts";
import { openRemembered } from "../../src/approval/remembered.ts";
import { type Cell, type CellOptions, openCell } from "../../src/cell.ts";
import { LIMITS } from "../../src/core/limits.ts";
import type { AnyObservation, CallEvent } from "../../src/core/types.ts";
import { openTempCell } from "../kit/worlds/temp-cell.ts";

/** A cell whose questions are answered by `answer`, and counted. */
async function open(answer: ApprovalAnswer, options: Partial<CellOptions> = {}) {
  const asked: ApprovalRequest[] = [];
  const onAsk = (request: ApprovalRequest) => {
    asked.push(request);
    return answer;
  };
  const temp = await openTempCell({ onAsk, ...options }, { "docs/a.md": "a\n", "src/a.ts": "a\n" });
  return { ...temp, asked, onAsk };
}

const write = (cell: Cell, at: string, content = "b\n", id?: string) =>
  cell.call({ name: "write_file", arguments: { path: at, content }, ...(id !== undefined && { id }) });

const yesFor = (kind: "run" | "session" | "project", rule?: string) => ({
  approved: true,
  remember: { for: kind, ...(rule !== undefined && { rule }) },
});

describe("a yes that is remembered", () => {
  test("for the project holds for exactly this call, also in another cell, until it is revoked", async () => {
    const { cell, asked, onAsk, root, stateDir } = await open(yesFor("project"));
    for (const at of ["docs/a.md", "docs/a.md", "docs/b.md"]) await write(cell, at);
    await write(cell, "docs/a.md", "other\n");
    expect(asked.map(({ arguments: args }) => args)).toEqual([
      { path: "docs/a.md", content: "b\n" },
      { path: "docs/b.md", content: "b\n" },
      { path: "docs/a.md", content: "other\n" },
    ]);
    await cell.close();
    const later = await openCell({ workspace: root, stateDir, fs: "host", onAsk });
    await write(later, "docs/a.md");
    expect(asked.length).toBe(3);
    const remembered = openRemembered(stateDir);
    for (const { id } of remembered.list()) remembered.revoke(id);
    await write(later, "docs/a.md");
    expect(asked.length).toBe(4);
    await later.close();
  });

  test("for a run holds for calls of that run", async () => {
    const { cell, asked } = await open(yesFor("run"));
    for (const id of ["run_aaaaaaaa.1.1.1", "run_aaaaaaaa.2.5.1", "run_bbbbbbbb.1.1.1"])
      await write(cell, "docs/a.md", "b\n", id);
    expect(asked.map(({ callId }) => callId)).toEqual(["run_aaaaaaaa.1.1.1", "run_bbbbbbbb.1.1.1"]);
  });

  test("as a rule holds for what the rule covers", async () => {
    const { cell, asked } = await open(yesFor("project", "allow write_file(docs/**)"));
    for (const at of ["docs/a.md", "docs/b.md", "src/a.ts"]) await write(cell, at);
    expect(asked.flatMap(({ paths }) => paths)).toEqual(["docs/a.md", "src/a.ts"]);
  });

  test.each(["deny write_file", "allow run_command(*)", "nonsense", "allow *"])(
    "can't be the rule %j: the call does not run, and nothing is remembered",
    async (rule) => {
      const { cell, root, stateDir } = await open(yesFor("project", rule));
      expect((await write(cell, "docs/a.md")).success).toBe(false);
      expect(fs.readFileSync(path.join(root, "docs/a.md"), "utf8")).toBe("a\n");
      expect(openRemembered(stateDir).list()).toEqual([]);
    },
  );

  test("beats no configured deny, and no configured ask", async () => {
    const { cell, asked, onAsk, root, stateDir } = await open(yesFor("project", "allow write_file(**)"));
    await write(cell, "docs/a.md");
    await cell.close();
    const reopen = (...rules: string[]) => openCell({ workspace: root, stateDir, fs: "host", onAsk, rules });
    const plain = await reopen();
    expect((await write(plain, "docs/b.md")).success).toBe(true);
    expect(asked.length).toBe(1);
    await plain.close();
    const denying = await reopen("deny write_file(docs/**)");
    expect((await write(denying, "docs/c.md")).error?.code).toBe("DENIED");
    await denying.close();
    const asking = await reopen("ask write_file(docs/**)");
    for (const at of ["docs/d.md", "docs/d.md"]) await write(asking, at);
    expect(asked.slice(1).map(({ rememberFor }) => rememberFor)).toEqual([[], []]);
    await asking.close();
  });

  test("beats neither the built-in deny list nor a protected path", async () => {
    const { cell, stateDir, root } = await open(false);
    const origin = { run: null, session: null, project: root };
    const remembered = openRemembered(stateDir);
    remembered.add("run_command", "", { for: "project", rule: "allow run_command(*)" }, origin);
    remembered.add("write_file", "", { for: "project", rule: "allow write_file(**)" }, origin);
    const blocked = await cell.call({ name: "run_command", arguments: { command: "rm -rf /" } });
    expect(blocked.error?.code).toBe("COMMAND_BLOCKED");
    expect((await write(cell, ".git/hooks/pre-commit")).error?.code).toBe("PROTECTED_PATH");
    expect((await write(cell, "docs/a.md")).success).toBe(true);
  });
});

const WRITES = [
  ["write_file", { path: "a.md", content: "b\n" }],
  ["edit_file", { path: "a.md", edits: [{ old_text: "a", new_text: "b" }] }],
  ["file_write", { path: "a.md", content: "b\n" }],
  ["fs.write", { path: "@project/a.md", content: "b\n" }],
  ["fs.apply_patch", { path: "@project/a.md", patch: { operation: "replace", oldText: "a", newText: "b" } }],
] as const;

test.each(WRITES)(
  "a yes for %s holds for the version that was shown: if the file changes meanwhile, the new diff is asked about",
  async (name, args) => {
    const shown: (string | null)[] = [];
    const { cell, root } = await openTempCell(
      {
        toolsets: ["coding", "mounts", "studio"],
        onAsk({ preview }) {
          shown.push(preview);
          if (shown.length === 1) fs.appendFileSync(path.join(root, "a.md"), "edited\n");
          return shown.length < 2;
        },
      },
      { "a.md": "a\n" },
    );
    expect((await cell.call({ name, arguments: args })).meta.outcome).toBe("not_executed");
    expect(shown).toEqual([
      expect.stringMatching(/-a\n\+b$/),
      expect.stringMatching(/-a\n(-edited\n)?\+b(\n edited)?$/),
    ]);
    expect(fs.readFileSync(path.join(root, "a.md"), "utf8")).toBe("a\nedited\n");
  },
);

test.each(WRITES)(
  "an approved %s writes nothing if the file changes after the call started",
  async (name, args) => {
    const { cell, root } = await openTempCell(
      { toolsets: ["coding", "mounts", "studio"], onAsk: () => true },
      { "a.md": "a\n" },
    );
    const at = path.join(root, "a.md");
    const onEvent = ({ kind }: CallEvent) => {
      if (kind === "started") fs.appendFileSync(at, "edited\n");
    };
    const observation = await cell.call<AnyObservation>({ name, arguments: args }, { onEvent });
    expect(observation.meta.outcome).toBe("executed_error");
    expect(JSON.stringify(observation)).toContain("changed after it was shown");
    expect(fs.readFileSync(at, "utf8")).toBe("a\nedited\n");
  },
);

test("of two writes to one file that are approved at once, only one writes without another question", async () => {
  const shown: (string | null)[] = [];
  const { cell } = await openTempCell(
    { fs: "overlay", trust: "supervised", onAsk: ({ preview }) => shown.push(preview) < 3 },
    { "a.md": "a\n" },
  );
  const writes = await Promise.all(["b\n", "c\n"].map((content) => write(cell, "a.md", content)));
  expect(writes.filter(({ success }) => success)).toHaveLength(1);
});

test("a file of which only a part could be shown has no diff in its question", async () => {
  const shown: (string | null)[] = [];
  const { cell } = await openTempCell(
    { onAsk: ({ preview }) => shown.push(preview) > 0 },
    { "a.md": "line\n".repeat(LIMITS.maxReadBytes / 5 + 1) },
  );
  expect((await write(cell, "a.md")).success).toBe(true);
  expect(shown).toEqual([null]);
});

test.each([
  ["bin/run.sh", {}, "present"],
  ["./run.sh", { cwd: "bin" }, "present"],
  ["cd bin && ./run.sh", {}, "present"],
  ["env A=b ./bin/run.sh", {}, "present"],
  ["./bin/new.sh", {}, "absent"],
])(
  "the question of %j %j names the script's version, and the command does not run if it changes",
  async (command, more, state) => {
    const shown: (string | null)[] = [];
    const { cell, root } = await openTempCell(
      { onAsk: ({ preview }) => shown.push(preview) > 0 },
      { "bin/run.sh": "touch ran\n" },
    );
    const onEvent = ({ kind }: CallEvent) => {
      if (kind === "started")
        fs.writeFileSync(path.join(root, "bin", state === "absent" ? "new.sh" : "run.sh"), "touch b\n");
    };
    const call = { name: "run_command", arguments: { command, ...more } };
    const { error } = await cell.call(call, { onEvent });
    expect(error).toMatchObject({
      code: "PRECONDITION_FAILED",
      message: expect.stringContaining("changed after it was shown"),
    });
    expect(shown).toEqual([
      expect.stringMatching(
        state === "absent" ? /new\.sh": there is no such file$/ : /run\.sh": sha256 [0-9a-f]{64}$/,
      ),
    ]);
  },
);

test.each([
  "echo a",
  "/bin/echo a",
  "~/run.sh",
  "$X/run.sh",
  "cd $X && ./run.sh",
  "pushd - && cd a; ./run.sh",
])("the question of %j names no script", async (command) => {
  const shown: (string | null)[] = [];
  const { cell } = await openTempCell({
    onAsk({ preview }) {
      shown.push(preview);
      return false;
    },
  });
  await cell.call({ name: "run_command", arguments: { command } });
  expect(shown).toEqual([null]);
});

test("while the version of a large script is read, the call can be cancelled", async () => {
  const { cell, asked, root } = await open(false);
  const file = path.join(root, "large");
  fs.writeFileSync(file, "");
  fs.truncateSync(file, 2 ** 31);
  const controller = new AbortController();
  const call = cell.call(
    { name: "run_command", arguments: { command: "./large" } },
    { signal: controller.signal },
  );
  setTimeout(() => controller.abort(), 50);
  expect((await call).error).toMatchObject({ code: "CANCELLED" });
  expect(asked).toEqual([]);
});
