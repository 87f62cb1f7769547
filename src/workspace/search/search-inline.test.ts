import fs from "node:fs";
import { basename } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { queryFor } from "../../../test/kit/search-query.ts";
import { makeHostWorld } from "../../../test/kit/worlds/host-workspace.ts";

test("when one hit more than wanted was found, no further file is opened", async () => {
  const { root, open, remove } = makeHostWorld();
  onTestFinished(remove);
  for (let file = 10; file < 30; file++) fs.writeFileSync(`${root}/${file}`, "hit");
  const workspace = open();
  onTestFinished(workspace.close);
  const openSync = vi.spyOn(fs, "openSync");
  onTestFinished(() => openSync.mockRestore());
  const { matches, truncated } = await workspace.search(".", queryFor("hit", { maxMatches: 8 }));
  const opened = openSync.mock.calls.map(([at]) => basename(String(at)));
  expect([matches.length, truncated]).toEqual([8, true]);
  expect(opened).not.toContain("19");
});
