import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "../../src/approval/approve.ts";
import type { CellOptions } from "../../src/cell.ts";
import { TRUST_LEVELS } from "../../src/core/types.ts";
import { openTempCell, type TempCell } from "../kit/worlds/temp-cell.ts";

const CLONE = { fs: "overlay", strategy: "clone", toolsets: ["coding", "session"] } as const;

const open = (options: Partial<CellOptions> = {}) =>
  openTempCell({ ...CLONE, ...options }, { "a.txt": "old\n" });

async function change({ cell }: TempCell, content = "new\n", file = "a.txt"): Promise<string> {
  const { meta } = await cell.call({ name: "write_file", arguments: { path: file, content } });
  return meta.callId;
}

const projectOf = ({ root }: TempCell) => fs.readFileSync(path.join(root, "a.txt"), "utf8");

const kindsOf = ({ records }: TempCell) =>
  records()
    .map(({ kind }) => String(kind))
    .filter((kind) => kind.startsWith("session."));

describe("session_commit", () => {
  test.each(TRUST_LEVELS)("asks at trust level %s, and shows its plan", async (trust) => {
    const asked: ApprovalRequest[] = [];
    const onAsk = (request: ApprovalRequest) => {
      asked.push(request);
      return true;
    };
    const world = await open({ trust, onAsk });
    await change(world);
    asked.length = 0;
    const { success, output } = await world.cell.call({ name: "session_commit", arguments: {} });
    expect([success, output?.committed, projectOf(world)]).toEqual([true, ["a.txt"], "new\n"]);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.preview).toMatch(/^write {3}a\.txt\n[\s\S]*-old\n\+new\n$/);
    expect(asked[0]?.rememberFor).toEqual([]);
  });

  test("is not run without a yes", async () => {
    const world = await open({ trust: "autonomous", onAsk: () => false });
    await change(world);
    const { error } = await world.cell.call({ name: "session_commit", arguments: {} });
    expect([error?.code, projectOf(world)]).toEqual(["DENIED", "old\n"]);
    expect(kindsOf(world)).toEqual([]);
  });

  test("does not ask if a rule allows it", async () => {
    const world = await open({ rules: ["allow session_commit"] });
    await change(world);
    const { success } = await world.cell.call({ name: "session_commit", arguments: {} });
    expect([success, projectOf(world)]).toEqual([true, "new\n"]);
  });

  test("a yes holds for one commit: one for the session approves nothing, and says so", async () => {
    const onAsk = () => ({ approved: true, remember: { for: "session" } }) as const;
    const world = await open({ trust: "autonomous", onAsk });
    const before = projectOf(world);
    await change(world, "1\n");
    const { error } = await world.cell.call({ name: "session_commit", arguments: {} });
    expect(error?.message).toContain("Such a yes holds for this call, not for this session.");
    expect(projectOf(world)).toBe(before);
  });

  test("a yes holds for the plan that was shown: after a change it is asked for again", async () => {
    const plans: (string | null)[] = [];
    const world: TempCell = await open({
      trust: "autonomous",
      onAsk: async ({ preview }) => {
        plans.push(preview);
        if (plans.length === 1) await change(world, "other\n");
        return plans.length === 1;
      },
    });
    await change(world);
    const { error } = await world.cell.call({ name: "session_commit", arguments: {} });
    expect([error?.code, projectOf(world)]).toEqual(["DENIED", "old\n"]);
    expect(plans).toEqual([expect.stringContaining("+new"), expect.stringContaining("+other")]);
  });

  test("takes the paths that it names", async () => {
    const world = await open({ rules: ["allow session_commit"] });
    await change(world);
    await change(world, "b\n", "b.txt");
    const { output } = await world.cell.call({ name: "session_commit", arguments: { paths: ["b.txt"] } });
    expect([output?.committed, projectOf(world)]).toEqual([["b.txt"], "old\n"]);
  });

  test("leaves out what executes automatically", async () => {
    const world = await open({ rules: ["allow session_commit"] });
    await change(world, "on: push\n", ".github/workflows/x.yml");
    const { output } = await world.cell.call({ name: "session_commit", arguments: {} });
    expect(output).toMatchObject({
      committed: [],
      skipped: [{ path: ".github/workflows/x.yml", why: "needs confirmation" }],
    });
  });

  test("of a file that the project changed too commits nothing, and says so", async () => {
    const world = await open({ rules: ["allow session_commit"] });
    await change(world);
    fs.writeFileSync(path.join(world.root, "a.txt"), "mine\n");
    const { error, output } = await world.cell.call({ name: "session_commit", arguments: {} });
    expect(error?.code).toBe("PRECONDITION_FAILED");
    expect(output?.conflicts).toEqual([{ path: "a.txt", reason: "changed in the project" }]);
    expect(projectOf(world)).toBe("mine\n");
  });
});

test("session_diff shows the changes of the session, or of one call", async () => {
  const world = await open();
  const first = await change(world);
  await change(world, "b\n", "b.txt");
  const all = await world.cell.call({ name: "session_diff", arguments: {} });
  expect(all.output).toMatchObject({ changes: 2, ignored: 0, truncated: false });
  const one = await world.cell.call({ name: "session_diff", arguments: { call: first } });
  expect(one.output).toMatchObject({ changes: 1, diff: expect.stringContaining("-old\n+new\n") });
});

test("session_rewind returns to before a call, session_discard to the project", async () => {
  const world = await open();
  await change(world, "1\n");
  const second = await change(world, "2\n");
  const read = async () =>
    (await world.cell.call({ name: "read_file", arguments: { path: "a.txt" } })).output?.content;
  const rewound = await world.cell.call({ name: "session_rewind", arguments: { to: second } });
  expect([rewound.output, await read()]).toEqual([{ changes: 1, commits: [] }, "1\t1"]);
  const { output } = await world.cell.call({ name: "session_discard", arguments: {} });
  expect([output, await read()]).toEqual([{ changes: 0 }, "1\told"]);
});

test("session_create makes a session of the same project, which another cell can open", async () => {
  const world = await open();
  await change(world);
  const { output } = await world.cell.call({ name: "session_create", arguments: {} });
  expect(fs.existsSync(path.join(world.stateDir, "sessions", output?.session ?? "", "session.json"))).toBe(
    true,
  );
  expect(output?.session).not.toBe(world.cell.session);
});

test("a call on the session and a change do not wait for one another in a batch", async () => {
  const world = await open({ rules: ["allow session_commit"] });
  const requests = [
    { name: "write_file", arguments: { path: "a.txt", content: "new\n" } },
    { name: "session_commit", arguments: {} },
    { name: "session_diff", arguments: {} },
    { name: "write_file", arguments: { path: "a.txt", content: "newer\n" } },
  ];
  const observations = await world.cell.callBatch(requests);
  expect(observations.map(({ success }) => success)).toEqual([true, true, true, true]);
  expect(projectOf(world)).toBe("new\n");
});

test("commit, rewind, discard and revert leave a line in the log, whoever does them", async () => {
  const world = await open({ rules: ["allow session_commit"] });
  await change(world);
  await world.cell.call({ name: "session_commit", arguments: {} });
  await world.cell.revert();
  const second = await change(world, "2\n");
  await world.cell.rewind(second);
  await world.cell.undoRewind();
  await world.cell.commit();
  await world.cell.discard();
  expect(kindsOf(world)).toEqual([
    "session.commit",
    "session.revert",
    "session.rewind",
    "session.rewind",
    "session.commit",
    "session.discard",
  ]);
  const commit = world.records().find(({ kind }) => kind === "session.commit");
  expect(commit).toMatchObject({ session: world.cell.session, tx: "1", count: 1, paths: ["a.txt"] });
});

test("with fs host there is no session", async () => {
  const { cell } = await openTempCell({ toolsets: ["session"], trust: "autonomous" });
  const { error } = await cell.call({ name: "session_diff", arguments: {} });
  expect(error?.code).toBe("NOT_SUPPORTED");
});
