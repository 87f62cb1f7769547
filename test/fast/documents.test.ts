// What the documents say of files and of the configuration is compared with them; what they show is run in the
// machine lane.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findFault } from "../../src/config/find-fault.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { CONFIG_PROPERTIES, CONFIG_SCHEMA } from "../../src/config/schema.ts";
import {
  anchorsOf,
  blocksOf,
  DOCUMENTS,
  PAGES,
  ROOT,
  readDocument,
  tableOf,
} from "../kit/worlds/document.ts";

test("the pages of docs/ show configurations that load", () => {
  const configs = PAGES.flatMap((name) => blocksOf(readDocument(name), "json"))
    .map(({ text }) => JSON.parse(text))
    .filter((config) => !("tests" in config));
  expect(configs.length).toBeGreaterThan(5);
  expect(configs.map((config) => findFault(config, CONFIG_SCHEMA)).filter((fault) => fault !== null)).toEqual(
    [],
  );
});

describe("the documents", () => {
  test.each(DOCUMENTS)("%s links only to files that are there", (name) => {
    const links = [...readDocument(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!);
    const missing = links.filter((target) => !existsSync(path.join(ROOT, path.dirname(name), target)));
    expect(missing).toEqual([]);
  });

  test.each(DOCUMENTS)("%s links only to headings that are there", (name) => {
    const links = [...readDocument(name).matchAll(/\]\(([^):#]*(?:\.md)?)#([^)]+)\)/g)];
    const missing = links.filter(([, target = "", anchor = ""]) => {
      const page = target === "" ? name : path.join(path.dirname(name), target);
      return !anchorsOf(readDocument(page)).has(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  test("docs/guide.md links to every other page of docs/", () => {
    const index = readDocument("docs/guide.md");
    const others = PAGES.map((name) => path.basename(name)).filter((name) => name !== "guide.md");
    expect(others.filter((name) => !index.includes(`](${name})`))).toEqual([]);
  });

  test("ARCHITECTURE.md names only files that are there, by their path or its end", () => {
    const named = readDocument("ARCHITECTURE.md").match(/[\w./-]+\.(?:ts|wat)\b/g) ?? [];
    expect(named.length).toBeGreaterThan(60);
    const files = filesIn("src", "test");
    expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
  });

  test("CONTRIBUTING.md names tests that are there, lane by lane", () => {
    const lines = [...readDocument("CONTRIBUTING.md").matchAll(/`npm run test:(fast|machine) -- ([^`]+)`/g)];
    expect(lines.length).toBeGreaterThan(20);
    const tests = { fast: testsIn("src", "test/fast"), machine: testsIn("test/machine") };
    const missing = lines.flatMap(([, lane, words = ""]) =>
      words
        .split(" ")
        .filter((word) => !tests[lane as "fast" | "machine"].some((file) => file.includes(word))),
    );
    expect(missing).toEqual([]);
  });

  test("README.md has two commands and a terminal session on its first screen, then a program", () => {
    const lines = readDocument("README.md").split("\n");
    const screen = lines.slice(0, 20).join("\n");
    for (const needed of [
      "Docker",
      "npm ci && npm start",
      "npm ci && npm test",
      "```console",
      "$ npx hotcell",
    ])
      expect(screen).toContain(needed);
    expect(lines.slice(0, 50).join("\n")).toContain('from "hotcell"');
  });
});

describe("P0.7 README.md", () => {
  const rows = new Map(
    tableOf(readDocument("README.md"), "variable").map(([variable, value]) => [variable, value]),
  );

  test("names every variable that the configuration reads, and no other", () => {
    const read = new Set<string>();
    const env = new Proxy({}, { get: (_, variable) => void read.add(String(variable)) });
    loadConfig({ env, flags: {}, cwd: path.join(ROOT, "examples") });
    for (const used of ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"]) read.delete(used);
    expect([...rows.keys()].sort()).toEqual([...read].map((variable) => `\`${variable}\``).sort());
  });

  test("says the default of each", () => {
    const config = "`$XDG_CONFIG_HOME/hotcell/config.json`, else `~/.config/hotcell/config.json`";
    const state = "`$XDG_STATE_HOME/hotcell`, else `~/.local/state/hotcell`";
    const expected = new Map([...defaults()].map(([variable, value]) => [`\`${variable}\``, `\`${value}\``]));
    expected.set("`HOTCELL_STATE_DIR`", state);
    expected.set("`HOTCELL_CONFIG`", config);
    for (const variable of ["PROVIDER", "NAME", "BASE_URL"]) expected.set(`\`MODEL_${variable}\``, "none");
    expect(rows).toEqual(expected);
  });
});

function filesIn(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
      (name) => `${folder}/${name}`,
    ),
  );
}

function testsIn(...folders: string[]): string[] {
  return filesIn(...folders).filter((name) => name.endsWith(".test.ts"));
}

/** Read from the descriptions, which say the variable of each setting. */
function defaults(): Map<string, string> {
  const found = new Map<string, string>();
  for (const setting of Object.values(CONFIG_PROPERTIES)) {
    const [, variable] = /\b([A-Z_]+) in the environment/.exec(setting.description) ?? [];
    if (variable === undefined || !("default" in setting)) continue;
    const inSeconds = variable.endsWith("_SECS");
    found.set(variable, String(inSeconds ? Number(setting.default) / 1000 : setting.default));
  }
  return found.set("SEARXNG_URL", CONFIG_PROPERTIES.webSearch.default.searxngUrl);
}
