import { describe, expect, test } from "vitest";
import { openSessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";

/** One session with a change, and one without. */
async function openTwo() {
  const world = await openSessionCliWorld({ a: "a\n" }, { c1: (w) => w.write("b", "b\n") });
  const empty = (await world.run(["session", "create", "--strategy", "clone"])).out.trim();
  const idsLeft = async () =>
    JSON.parse((await world.run(["session", "list", "--json"])).out).map(({ id }: { id: string }) => id);
  return { ...world, empty, idsLeft };
}

describe("hotcell session gc", () => {
  test("removes sessions without changes, and nothing else", async () => {
    const { run, root, id, empty, idsLeft } = await openTwo();
    const told = `remove  ${empty}  -  0 changes  .* [KM]?B  ${root}\n`;
    const dry = await run(["session", "gc", "--dry-run"]);
    expect([dry.code, dry.err, dry.out]).toEqual([
      0,
      "",
      expect.stringMatching(new RegExp(`^${told}Would free .* [KM]?B; sessions use .* [KM]?B\\.\n$`)),
    ]);
    expect(await idsLeft()).toEqual([id, empty]);
    expect((await run(["session", "gc"])).out).toMatch(
      new RegExp(`^${told}Freed .* [KM]?B; sessions use .* [KM]?B\\.\n$`),
    );
    expect(await idsLeft()).toEqual([id]);
  });

  test("--json is one document, the same for a dry run", async () => {
    const { run, root, empty } = await openTwo();
    const removed = [{ id: empty, name: null, workspace: root, bytes: expect.any(Number), changes: 0 }];
    const shape = { removed, freedBytes: expect.any(Number), totalBytes: expect.any(Number), homeBytes: 0 };
    const dry = JSON.parse((await run(["session", "gc", "--dry-run", "--json"])).out);
    expect(dry).toEqual(shape);
    expect(JSON.parse((await run(["session", "gc", "--json"])).out)).toEqual(shape);
  });

  test("with --max-size asks before it removes changes", async () => {
    const { run, root, answer, id, empty, idsLeft } = await openTwo();
    await run(["session", "rename", id, "work"]);
    expect(await run(["session", "gc", "--max-size", "0"])).toMatchObject({
      code: 2,
      err: "hotcell: Could not remove sessions with changes: there is no terminal to ask in. Add --yes.\n",
    });
    const refused = await answer(["gc", "--max-size", "0"], ["n"]);
    expect(refused).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(
        new RegExp(
          `^remove  ${id}  work  1 change  .*  ${root}\nhotcell: Did not remove sessions: the answer was no.\n$`,
        ),
      ),
      questions: [
        "Remove these sessions, of all projects, with their changes? This cannot be undone. [y/N] ",
      ],
    });
    expect(await idsLeft()).toEqual([id, empty]);
    expect((await run(["session", "gc", "--max-size", "1G"])).code).toBe(0);
    expect(await idsLeft()).toEqual([id]);
    expect((await run(["session", "gc", "--max-size", "0", "--yes"])).code).toBe(0);
    expect(await idsLeft()).toEqual([]);
  });

  test("is about all projects: it takes no --workspace", async () => {
    const { run, root, idsLeft } = await openTwo();
    const before = await idsLeft();
    const { code, err } = await run(["session", "gc", "--max-size", "0", "--yes", "--workspace", root]);
    expect([code, err]).toEqual([2, expect.stringContaining("--workspace")]);
    expect(await idsLeft()).toEqual(before);
  });

  test("a size that is none is exit 2, and nothing is removed", async () => {
    const { run, id, empty, idsLeft } = await openTwo();
    expect((await run(["session", "gc", "--max-size", "big"])).code).toBe(2);
    expect(await idsLeft()).toEqual([id, empty]);
  });
});
