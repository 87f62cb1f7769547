// A foreign agent: opencode, with a scripted model on loopback and hotcell as its MCP server.
// It runs without a network only as far as its variables in `env` say so: nothing else keeps opencode from one.
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openClientPrograms, runProgram } from "../kit/worlds/client-programs.ts";
import { startScriptedEndpoint } from "../kit/worlds/scripted-endpoint.ts";
import { tempDir } from "../kit/worlds/temp-cell.ts";

const CLI = path.join(import.meta.dirname, "../../bin/hotcell.js");

const TURNS = [
  { call: ["hotcell_search_files", { pattern: "replace" }] },
  {
    call: [
      "hotcell_edit_file",
      { path: "slug.js", edits: [{ old_text: 'replace(" "', new_text: 'replaceAll(" "' }] },
    ],
  },
  { call: ["hotcell_run_command", { command: "node test.js" }] },
  { call: ["hotcell_session_commit", {}] },
  { text: "Fixed." },
] as const;

test("opencode finds, edits, runs the tests and commits", async () => {
  const home = tempDir();
  const project = path.join(home, "project");
  fs.mkdirSync(project);
  const broken = 'export const slug = (text) => text.toLowerCase().replace(" ", "-");\n';
  fs.writeFileSync(path.join(project, "slug.js"), broken);
  fs.writeFileSync(
    path.join(project, "test.js"),
    'import { slug } from "./slug.js";\nif (slug("a b c") !== "a-b-c") throw new Error("wrong");\nconsole.log("tests pass");\n',
  );
  fs.writeFileSync(path.join(project, "package.json"), '{ "type": "module" }\n');
  const model = await startScriptedEndpoint(TURNS);
  onTestFinished(model.close);
  const mcp = [CLI, "mcp", "--toolset", "coding", "--toolset", "session", "--rule", "allow session_commit"];
  const config = {
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: model.url, apiKey: "none" },
        models: { scripted: { tool_call: true } },
      },
    },
    mcp: { hotcell: { type: "local", command: [process.execPath, ...mcp], enabled: true } },
    autoupdate: false,
    share: "disabled",
  };
  fs.writeFileSync(path.join(project, "opencode.json"), JSON.stringify(config));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    HOTCELL_STATE_DIR: path.join(home, "state"),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  };
  const command = [
    openClientPrograms().opencode,
    "run",
    "--model",
    "scripted/scripted",
    "Fix the slug.",
  ] as const;
  const { code, out, err } = await runProgram(command, { cwd: project, env });
  const last = model.requests.at(-1) ?? [];
  const answers = last.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content));
  expect([code, answers, out, err]).toEqual([
    0,
    [
      expect.stringContaining("slug.js:1:"),
      expect.stringContaining("Edited slug.js"),
      expect.stringContaining("tests pass"),
      expect.stringContaining("slug.js"),
    ],
    expect.stringContaining("Fixed."),
    expect.anything(),
  ]);
  expect(fs.readFileSync(path.join(project, "slug.js"), "utf8")).toBe(
    broken.replace("replace(", "replaceAll("),
  );
});
