import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createProtection } from "../../../src/policy/protected.ts";
import { openHostWorkspace } from "../../../src/workspace/directory/host.ts";
import { asNobody, asNobodyLater } from "../../kit/as-nobody.ts";
import { IS_ROOT } from "../../kit/is-root.ts";
import { queryFor } from "../../kit/search-query.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

test("a walk goes on past a directory that the system does not let it read, and tells of it", () => {
  const top = tempDir();
  const root = path.join(top, "ws");
  for (const dir of ["a", "b"]) fs.mkdirSync(path.join(root, dir), { recursive: true });
  fs.writeFileSync(path.join(root, "a/hidden"), "");
  fs.writeFileSync(path.join(root, "b/shown"), "");
  fs.chmodSync(path.join(root, "a"), 0o300);
  const refused: string[] = [];
  const seen = asNobody([root], () => {
    const stateDir = path.join(top, "state");
    const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
    const found = [...workspace.walk(".", { refused: (at) => refused.push(at) })].map((entry) => entry.path);
    workspace.close();
    return found;
  });
  fs.chmodSync(path.join(root, "a"), 0o700);
  expect([seen, refused]).toEqual([["a", "b", "b/shown"], ["a"]]);
});

test("a search goes on past what the system does not let it read, and counts it", async () => {
  const top = tempDir();
  const root = path.join(top, "ws");
  for (const dir of ["a", "b"]) fs.mkdirSync(path.join(root, dir), { recursive: true });
  for (const file of ["a/f", "b/locked", "b/open"]) fs.writeFileSync(path.join(root, file), "hit");
  fs.chmodSync(path.join(root, "a"), 0o300);
  fs.chmodSync(path.join(root, "b/locked"), 0);
  asNobody([root], () => {});
  const stateDir = path.join(top, "state");
  const workspace = openHostWorkspace({ workspace: root, stateDir, protectionOf: createProtection() });
  const search = () => workspace.search(".", queryFor("hit"));
  // So that the code is loaded by who can read it.
  await search();
  const { matches, unreadable } = await (IS_ROOT ? asNobodyLater(search) : search());
  workspace.close();
  fs.chmodSync(path.join(root, "a"), 0o700);
  expect([matches.map((match) => match.path), unreadable]).toEqual([["b/open"], 2]);
});
