// A client whose types others make of the OpenAPI document: it compiles, and it works.
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { installOnce } from "../../../bench/install-once.js";
import { openServerWorld } from "../../kit/worlds/server-world.ts";
import { createStubModel } from "../../kit/worlds/stub-model.ts";
import { tempDir } from "../../kit/worlds/temp-cell.ts";

const execFileAsync = promisify(execFile);

const PACKAGES = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3"];

const CLIENT = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

declare const process: { readonly argv: readonly string[] };
const [, , baseUrl = "", token = ""] = process.argv;
const login = await fetch(baseUrl + "/api/login", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ token }),
});
const cookie = (login.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const api = createClient<paths>({ baseUrl, headers: { cookie } });

function known<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const { run, session } = known(await api.POST("/api/runs", { body: { content: "go" } }));
let waiting = known(await api.GET("/api/approvals")).questions;
while (waiting.length === 0) waiting = known(await api.GET("/api/approvals")).questions;
const { id, digest, tool } = waiting[0]!;
known(await api.POST("/api/approvals/{question}", { params: { path: { question: id } }, body: { approved: true, digest } }));
const at = { params: { path: { run } } };
while (known(await api.GET("/api/runs/{run}", at)).state !== "ended");
const of = { params: { path: { session } } };
const { changes } = known(await api.GET("/api/sessions/{session}/diff", of));
const { hash } = known(await api.POST("/api/sessions/{session}/plan", { ...of, body: {} }));
const { committed } = known(await api.POST("/api/sessions/{session}/commit", { ...of, body: { plan: hash } }));
console.log(JSON.stringify({ tool, changed: changes.map(({ path }) => path), committed }));
`;

const WRONG = `${CLIENT}
await api.POST("/api/sessions/{session}/commit", { ...of, body: {} });
`;

test("logs in, sends, approves, and reads diff, plan and commit; a commit without a plan does not compile", async () => {
  const { dir } = installOnce("openapi", PACKAGES);
  const bin = (name: string) => path.join(dir, "node_modules", name);
  const model = createStubModel(
    { calls: [["write_file", { path: "b.txt", content: "new\n" }]] },
    { text: "Done." },
  );
  const world = await openServerWorld({ agent: { model }, trust: "supervised" });
  const work = tempDir();
  fs.symlinkSync(path.join(dir, "node_modules"), path.join(work, "node_modules"));
  const write = (name: string, text: string) => fs.writeFileSync(path.join(work, name), text);
  write("package.json", '{ "type": "module" }');
  write("openapi.json", JSON.stringify((await world.get("/api/openapi.json")).body));
  write("client.ts", CLIENT);
  write("wrong.ts", WRONG);
  const node = (...args: readonly string[]) => execFileAsync(process.execPath, args, { cwd: work });
  await node(bin("openapi-typescript/bin/cli.js"), "openapi.json", "-o", "api.d.ts");
  const flags = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"];
  const tsc = (file: string) => node(bin("typescript/bin/tsc"), ...flags, file);
  await tsc("client.ts");
  await expect(tsc("wrong.ts")).rejects.toMatchObject({ stdout: expect.stringContaining("plan") });
  const { stdout } = await node("client.js", world.url, world.token);
  expect(JSON.parse(stdout)).toEqual({ tool: "write_file", changed: ["b.txt"], committed: ["b.txt"] });
  expect(fs.readFileSync(path.join(world.root, "b.txt"), "utf8")).toBe("new\n");
});
