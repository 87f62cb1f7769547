// The table "changed this folder, run these" of CONTRIBUTING.md.
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT, readDocument, tableOf } from "../kit/worlds/document.ts";

const rows = tableOf(readDocument("CONTRIBUTING.md"), "changed");

test("has every folder of src", () => {
  const named = rows.map(([changed]) => changed).join(" ");
  const folders = readdirSync(path.join(ROOT, "src"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.filter((name) => !named.includes(`\`src/${name}/`))).toEqual([]);
});

test("every word after -- selects a test file of its lane", () => {
  const lanes = { fast: filesBelow("src", "test/fast"), machine: filesBelow("test/machine") };
  expect(findUnusedWords(rows, lanes)).toEqual([]);
});

test("control: a word that selects nothing is found", () => {
  const row = ["`src/x/`", "`npm run test:fast -- log nothing`", "`npm run test:machine -- log`"];
  const lanes = { fast: ["src/log/log.test.ts"], machine: ["test/machine/session/a.test.ts"] };
  expect(findUnusedWords([row], lanes)).toEqual(["fast: nothing", "machine: log"]);
});

type Lane = "fast" | "machine";

function findUnusedWords(
  table: readonly (readonly string[])[],
  lanes: Readonly<Record<Lane, readonly string[]>>,
): string[] {
  return table.flatMap((cells) =>
    cells.flatMap((cell) => {
      const [, lane, words] = /^`npm run test:(fast|machine) -- (.*)`$/.exec(cell) ?? [];
      if (lane === undefined || words === undefined) return [];
      const files = lanes[lane as Lane];
      return words
        .split(" ")
        .flatMap((word) => (files.some((file) => file.includes(word)) ? [] : [`${lane}: ${word}`]));
    }),
  );
}

function filesBelow(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => path.join(folder, name)),
  );
}
