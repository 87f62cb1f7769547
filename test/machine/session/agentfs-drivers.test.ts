// AgentFS files by the SQLite of each supported Node: node:sqlite, or libsql on a Node that has none.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { installOnce } from "../../../bench/install-once.js";
import { ROOT } from "../../kit/worlds/document.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const VERSIONS = ["20.20.2", "22.23.3", "24.21.0", "26.10.0"];

interface Node {
  readonly major: number;
  readonly program: string;
}

function installNodes(): Node[] {
  const majors = VERSIONS.map((version) => Number.parseInt(version, 10));
  const { dir } = installOnce(
    "nodes",
    VERSIONS.map((version, at) => `node${majors[at]}@npm:node-linux-${process.arch}@${version}`),
  );
  return majors.map((major) => ({ major, program: path.join(dir, `node_modules/node${major}/bin/node`) }));
}

/** Runs the child to its end, which must succeed without a word on standard error. */
function run({ major, program }: Node, args: readonly string[]): string[] {
  const child = path.join(ROOT, "test/kit/children/agentfs-child.mjs");
  const { status, stdout, stderr } = spawnSync(program, [child, ...args], { encoding: "utf8" });
  expect([major, status, stderr]).toEqual([major, 0, ""]);
  return stdout.trimEnd().split("\n");
}

test("P6.5: a session in mode agentfs, and its export, are the same for each supported Node: 20 with libsql; 22, 24 and 26", () => {
  const top = tempDir();
  const [project, state] = [path.join(top, "project"), path.join(top, "state")];
  fs.mkdirSync(project);
  const nodes = installNodes();
  const fileOf = ({ major }: Node) => path.join(top, `${major}.db`);
  for (const node of nodes)
    expect(run(node, ["write", project, state, fileOf(node)])).toEqual([
      `${fileOf(node)}: 2 paths, 0 deleted paths, 1 value, 1 call.`,
    ]);
  for (const [at, node] of nodes.entries()) {
    const other = nodes[(at + 1) % nodes.length]!;
    const [, exported, , live] = run(node, ["read", project, state, fileOf(other)]);
    const value = { major: other.major };
    for (const printed of [exported, live])
      expect(JSON.parse(printed!)).toEqual({ content: `1\t${"ü".repeat(5000)}`, value });
  }
});
