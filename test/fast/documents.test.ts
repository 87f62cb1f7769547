// What the documents say of files and of the configuration is compared with them; what they show is run in the
// machine lane.
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { findFault } from "../../src/config/find-fault.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { CONFIG_PROPERTIES, CONFIG_SCHEMA } from "../../src/config/schema.ts";
import { blocksOf, DOCUMENTS, ROOT, readDocument, tableOf } from "../kit/document.ts";

test("docs/guide.md shows configurations that load", () => {
  const configs = blocksOf(readDocument("docs/guide.md"), "json").map(({ text }) => JSON.parse(text));
  expect(configs.map((config) => findFault(config, CONFIG_SCHEMA))).toEqual([null, null, null]);
});

describe("the documents", () => {
  test.each(DOCUMENTS)("%s links only to files that are there", (name) => {
    const links = [...readDocument(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target]) => target!);
    const missing = links.filter((target) => !existsSync(path.join(ROOT, path.dirname(name), target)));
    expect(missing).toEqual([]);
  });

  test("ARCHITECTURE.md names only files that are there", () => {
    const named = readDocument("ARCHITECTURE.md").match(/\b(?:src|test)\/[\w/-]+\.ts\b/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  test("README.md has two commands and code on its first screen", () => {
    const screen = readDocument("README.md").split("\n").slice(0, 15).join("\n");
    for (const needed of ["npm ci && npm start", "npm ci && npm test", "```ts", 'from "hotcell"'])
      expect(screen).toContain(needed);
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
    for (const used of ["XDG_STATE_HOME", "HOME"]) read.delete(used);
    expect([...rows.keys()].sort()).toEqual([...read].map((variable) => `\`${variable}\``).sort());
  });

  test("says the default of each", () => {
    const state = "`$XDG_STATE_HOME/hotcell`, else `~/.local/state/hotcell`";
    expect(rows).toEqual(
      new Map([...defaults()].map(([variable, value]) => [`\`${variable}\``, `\`${value}\``])).set(
        "`HOTCELL_STATE_DIR`",
        state,
      ),
    );
  });
});

/** Read from the descriptions, which say the variable of each setting. */
function defaults(): Map<string, string> {
  const found = new Map<string, string>();
  for (const setting of Object.values(CONFIG_PROPERTIES)) {
    const [, variable] = /\b([A-Z_]+) in the environment/.exec(setting.description) ?? [];
    if (variable !== undefined && "default" in setting) found.set(variable, String(setting.default));
  }
  return found;
}
