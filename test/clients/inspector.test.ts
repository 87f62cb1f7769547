// The official inspector as a client, on the command line.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openClientPrograms, runProgram } from "../kit/worlds/client-programs.ts";
import { openHttpWorld } from "../kit/worlds/mcp-world.ts";
import { tempDir } from "../kit/worlds/temp-cell.ts";

const CLI = path.join(import.meta.dirname, "../../bin/hotcell.js");

interface Target {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

async function openTarget(transport: "stdio" | "http"): Promise<Target> {
  const home = tempDir();
  const env = { ...process.env, HOME: home, HOTCELL_STATE_DIR: path.join(home, "state") };
  const cwd = path.join(home, "project");
  fs.mkdirSync(cwd);
  fs.writeFileSync(path.join(cwd, "f"), "project\n");
  if (transport === "stdio") return { args: [process.execPath, CLI, "mcp"], cwd, env };
  const { url, token, root } = await openHttpWorld();
  fs.writeFileSync(path.join(root, "f"), "project\n");
  return { args: [url, "--transport", "http", "--header", `Authorization: Bearer ${token}`], cwd, env };
}

const EACH = (["stdio", "http"] as const).flatMap((transport) =>
  ["legacy", "modern"].map((era) => [transport, era] as const),
);

describe.each(EACH)("inspector on %s, era %s", (transport, era) => {
  const inspect = async (...method: string[]) => {
    const { args, cwd, env } = await openTarget(transport);
    const command = [...openClientPrograms().node22("inspector"), "--cli"] as const;
    return runProgram([...command, ...args, "--protocol-era", era, ...method], { cwd, env });
  };

  test("tools/list --strict finds no fault in a schema", async () => {
    const { code, out, err } = await inspect("--method", "tools/list", "--strict");
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out).tools.map(({ name }: { name: string }) => name)).toContain("edit_file");
  });

  test("tools/call gives the result of a tool", async () => {
    const call = ["--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=f"];
    const { code, out } = await inspect(...call);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ structuredContent: { output: { content: "1\tproject" } } });
  });

  test("a call that fails is a failure for the inspector too", async () => {
    const call = ["--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=gone"];
    const { code, out } = await inspect(...call);
    expect(code).not.toBe(0);
    expect(out).toContain("NOT_FOUND");
  });

  test("--load of 200 calls has no error", async () => {
    const call = ["--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=f"];
    const { code, out } = await inspect(...call, "--load", "--load-requests", "200");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ requests: 200, ok: 200, toolErrors: 0, errors: 0 });
  });
});
