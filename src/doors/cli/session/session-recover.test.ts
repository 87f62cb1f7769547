import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openSessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";

const open = () =>
  openSessionCliWorld(
    { a: "a\n" },
    {
      c1: (w) => {
        w.write("a", "new a\n");
        w.write("b", "b\n");
      },
    },
  );

const reverted = (path: string, id: string) =>
  `reverted  ${path}\nThe session ${id} has the reverted changes again.\n`;

describe("hotcell session revert", () => {
  test("takes the last commit back out of the project; the session keeps its changes", async () => {
    const { id, root, run } = await open();
    await run(["session", "commit", id, "--yes"]);
    expect(await run(["session", "revert", id])).toEqual({
      code: 0,
      out: `reverted  a\nreverted  b\nThe session ${id} has the reverted changes again.\n`,
      err: "",
    });
    expect([fs.readdirSync(root), fs.readFileSync(path.join(root, "a"), "utf8")]).toEqual([["a"], "a\n"]);
    expect((await run(["session", "revert", id, "--tx", "1"])).out).toBe(
      "Nothing to revert: the commit is already reverted.\n",
    );
  });

  test("leaves what was changed since: exit 1", async () => {
    const { id, root, run } = await open();
    await run(["session", "commit", id, "--yes"]);
    fs.writeFileSync(path.join(root, "a"), "mine\n");
    const { code, out } = await run(["session", "revert", id, "--json"]);
    expect([code, JSON.parse(out)]).toEqual([1, { session: id, reverted: ["b"], changed: ["a"] }]);
    expect(fs.readFileSync(path.join(root, "a"), "utf8")).toBe("mine\n");
    expect(await run(["session", "revert", id])).toEqual({
      code: 1,
      out: "stays     a: changed since commit 1; the project's version stays\n",
      err: "",
    });
  });

  test("takes one commit of several", async () => {
    const { id, root, run } = await open();
    await run(["session", "commit", id, "a", "--yes"]);
    await run(["session", "commit", id, "b", "--yes"]);
    expect((await run(["session", "revert", id, "--tx", "1"])).out).toBe(reverted("a", id));
    expect(fs.readdirSync(root)).toEqual(["a", "b"]);
  });

  test("goes on with the commit before, when the last was reverted", async () => {
    const { id, root, run } = await open();
    await run(["session", "commit", id, "a", "--yes"]);
    await run(["session", "commit", id, "b", "--yes"]);
    expect((await run(["session", "revert", id])).out).toBe(reverted("b", id));
    expect((await run(["session", "revert", id])).out).toBe(reverted("a", id));
    expect([fs.readdirSync(root), fs.readFileSync(path.join(root, "a"), "utf8")]).toEqual([["a"], "a\n"]);
    expect(await run(["session", "revert", id])).toMatchObject({
      code: 2,
      err: expect.stringContaining("Could not revert: the session has no commit that was not reverted."),
    });
  });

  test.each([[[]], [["--tx", "7"]]])("of a commit that is not there is exit 2: %j", async (args) => {
    const { id, run } = await open();
    expect(await run(["session", "revert", id, ...args])).toMatchObject({
      code: 2,
      err: expect.stringContaining("Could not revert: the session has no commit"),
    });
  });
});

describe("hotcell session recover", () => {
  test("says when there is nothing to do", async () => {
    const { id, run } = await open();
    expect(await run(["session", "recover"])).toEqual({ code: 0, out: "Nothing to recover.\n", err: "" });
    expect(await run(["session", "recover", id, "--json"])).toEqual({ code: 0, out: "[]\n", err: "" });
  });
});
