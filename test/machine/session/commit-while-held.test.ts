// A commit while a background process uses the view: what the process changes afterwards is based on what was committed.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { survey } from "../../kit/worlds/planted-tree.ts";
import { begin } from "../../kit/worlds/session-with-user.ts";
import { STRATEGIES } from "../../kit/worlds/session-world.ts";

interface Case {
  readonly what: string;
  /** Gets the view's directory. */
  work(view: string): void;
  readonly shown: readonly string[];
}

const removeAll = (at: string) => fs.rmSync(at, { recursive: true });

const CASES: readonly Case[] = [
  { what: "changes nothing", work: () => {}, shown: [] },
  {
    what: "rewrites a file that the session had made",
    work: (view) => fs.writeFileSync(`${view}/new/f`, "process\n"),
    shown: ["modified new/f"],
  },
  {
    what: "rewrites a file of the project",
    work: (view) => fs.writeFileSync(`${view}/d/f`, "process\n"),
    shown: ["modified d/f"],
  },
  {
    what: "removes a file that the session had made in a new directory",
    work: (view) => fs.unlinkSync(`${view}/new/f`),
    shown: ["deleted new/f"],
  },
  {
    what: "removes a file that the session had made in a directory of the project",
    work: (view) => fs.unlinkSync(`${view}/d/n`),
    shown: ["deleted d/n"],
  },
  {
    what: "removes a file of the project",
    work: (view) => fs.unlinkSync(`${view}/d/f`),
    shown: ["deleted d/f"],
  },
  {
    what: "removes a directory that the session had made",
    work: (view) => removeAll(`${view}/new`),
    shown: ["deleted new/below/f", "deleted new/f"],
  },
  {
    what: "removes a directory in a directory that the session had made",
    work: (view) => removeAll(`${view}/new/below`),
    shown: ["deleted new/below/f"],
  },
  {
    what: "removes a directory of the project",
    work: (view) => removeAll(`${view}/d`),
    shown: ["deleted d/f", "deleted d/n", "deleted d/x"],
  },
  {
    what: "recreates a directory that the session had made",
    work(view) {
      removeAll(`${view}/new`);
      fs.mkdirSync(`${view}/new`);
      fs.writeFileSync(`${view}/new/other`, "process\n");
    },
    shown: ["deleted new/below/f", "deleted new/f", "added new/other"],
  },
  {
    what: "recreates a directory of the project",
    work(view) {
      removeAll(`${view}/e`);
      fs.mkdirSync(`${view}/e`);
      fs.writeFileSync(`${view}/e/other`, "process\n");
    },
    shown: ["deleted e/below/f", "deleted e/below/n", "added e/other", "deleted e/x"],
  },
  {
    what: "makes a file of a directory that the session had made",
    work(view) {
      removeAll(`${view}/new`);
      fs.writeFileSync(`${view}/new`, "process\n");
    },
    shown: ["type new", "deleted new/below/f", "deleted new/f"],
  },
];

const PROJECT = { "d/f": "old\n", "d/x": "old\n", "e/below/f": "old\n", "e/x": "old\n" };
const COMMITTED = ["d/f", "d/n", "e/below/f", "e/below/n", "new/below/f", "new/f", "untouched"];
const LAYERS = ["the layer of the process", "an earlier layer"] as const;

describe.each(STRATEGIES)("with the strategy %s", (strategy) => {
  describe.each(LAYERS)("a version committed from %s", (from) => {
    test.each(CASES)("is the base when a process that uses the view $what", async ({ work, shown }) => {
      const world = await begin(strategy, PROJECT);
      const { session, call, edit, inProject } = world;
      const inView = (at: string) => `/proc/self/fd/${session.view.fd}/${at}`;
      const change = () =>
        call((workspace) => {
          for (const at of COMMITTED) workspace.write(at, "session\n");
        });
      if (from === "an earlier layer") await change();
      await session.checkpoint();
      const release = session.hold();
      if (from === "the layer of the process") await change();
      expect(await session.commit()).toMatchObject({ conflicts: [] });
      work(inView("."));
      await edit("untouched", "user\n");
      release();
      expect(await world.shown()).toEqual(shown);
      await session.checkpoint();
      expect(fs.readFileSync(inView("untouched"), "utf8")).toBe("user\n");
      const seen = survey(inView("."));
      expect(await session.commit()).toMatchObject({ conflicts: [], skipped: [] });
      expect(survey(inProject("."))).toEqual(seen);
      expect(await world.shown()).toEqual([]);
    });
  });
});
