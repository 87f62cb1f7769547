import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openSessionCliWorld } from "../../../../test/kit/worlds/session-cli-world.ts";

const STAT = " a | 2 +-\n 1 changed, 1 line added, 1 line removed\n";

async function open() {
  const calls = { c1: (w: { write(path: string, text: string): void }) => w.write("a", "new\n") };
  const world = await openSessionCliWorld({ a: "old\n", b: "b\n" }, calls);
  const read = (name: string) => fs.readFileSync(path.join(world.root, name), "utf8");
  return { ...world, read };
}

test("hotcell diff, commit and undo are about the last session with changes", async () => {
  const { run, id, read } = await open();
  await run(["session", "create", "--strategy", "clone"]);
  expect((await run(["diff", "--stat"])).out).toBe(STAT);
  expect((await run(["commit", "--yes"])).out).toContain(`To revert: hotcell session revert ${id} --tx 1`);
  expect(read("a")).toBe("new\n");
  expect(await run(["undo"])).toEqual({
    code: 0,
    out: `reverted  a\nThe session ${id} has the reverted changes again.\n`,
    err: "",
  });
  expect([read("a"), (await run(["diff", "--stat"])).out]).toEqual(["old\n", STAT]);
});

test("hotcell undo without a commit says so", async () => {
  const { run } = await open();
  const { code, err } = await run(["undo"]);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/^hotcell: There is nothing to undo: no commit to /),
  ]);
});

test("hotcell undo is about the commit that was made last, of whichever session", async () => {
  const { run, id, read } = await open();
  const fork = (await run(["session", "fork", id])).out.trim();
  await run(["commit", "--session", fork, "--yes"]);
  const later = await run(["call", "write_file", '{"path":"b","content":"c"}', "--session", id, "--json"]);
  expect(JSON.parse(later.out).success).toBe(true);
  await run(["commit", "b", "--session", id, "--yes"]);
  await run(["undo"]);
  expect([read("a"), read("b")]).toEqual(["new\n", "b\n"]);
  await run(["undo"]);
  expect([read("a"), read("b")]).toEqual(["old\n", "b\n"]);
});

test("hotcell undo of a commit that was edited since names the command for the commit before", async () => {
  const { run, root, id, read, change } = await open();
  await run(["commit", "--yes"]);
  await change({ c2: (w) => w.write("b", "new\n") });
  await run(["commit", "--yes"]);
  fs.writeFileSync(path.join(root, "b"), "mine\n");
  const next = `hotcell session revert ${id} --tx 1`;
  expect(await run(["undo"])).toEqual({
    code: 1,
    out: `stays     b: changed since commit 2; the project's version stays\nTo revert the commit before it: ${next}\n`,
    err: "",
  });
  expect((await run(next.split(" ").slice(1))).code).toBe(0);
  expect([read("a"), read("b")]).toEqual(["old\n", "mine\n"]);
});

test("a diff takes paths, of files and of directories", async () => {
  const calls = {
    c1(w: { write(path: string, text: string): void }) {
      for (const name of ["src/x", "src/y", "srcs", "z"]) w.write(name, "1\n");
    },
  };
  const { run, id } = await openSessionCliWorld({ "src/x": "" }, calls);
  const shown = async (...paths: string[]) => {
    const { out } = await run(["session", "diff", id, ...paths, "--json"]);
    return JSON.parse(out).changes.map((change: { path: string }) => change.path);
  };
  expect(await shown("src")).toEqual(["src/x", "src/y"]);
  expect(await shown("z", "src/y")).toEqual(["src/y", "z"]);
  expect(await shown("nowhere")).toEqual([]);
  expect((await run(["diff", "src/y", "--patch"])).out.match(/^diff .*/gm)).toEqual([
    "diff --git a/src/y b/src/y",
  ]);
});

test("the text of a diff goes to the pager, other forms do not", async () => {
  const { run } = await open();
  const paged: string[] = [];
  const page = async (text: string) => void paged.push(text);
  await run(["diff"], { page, outIsTerminal: true });
  await run(["diff", "--stat"], { page, outIsTerminal: true });
  await run(["diff", "--json"], { page, outIsTerminal: true });
  expect(paged.map((text) => text.includes("diff --git a/a b/a"))).toEqual([true]);
});
