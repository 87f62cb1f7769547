import { describe, expect, test } from "vitest";
import { ERRORS } from "../../src/core/errors.ts";
import { MOUNTS_CODES } from "../../src/tools/mounts/observation.ts";
import { DOCUMENTS, readDocument, tableOf } from "../kit/worlds/document.ts";

describe("docs/errors.md", () => {
  test("has every code of src/core/errors.ts and no other, in its words and its order", () => {
    const codes = Object.entries(ERRORS).map(([code, { means, fixer, retry }]) => [
      `\`${code}\``,
      means,
      fixer,
      retry ? "yes" : "no",
    ]);
    expect(tableOf(readDocument("docs/errors.md"), "code")).toEqual(codes);
  });
});

const IN_MOUNTS = new Map(
  [...new Set(MOUNTS_CODES.values())].map((code) => [
    code,
    [...MOUNTS_CODES].filter(([, made]) => made === code).map(([from]) => from),
  ]),
);

test("docs/errors.md says which codes the toolset mounts makes of which", () => {
  const rows = [...IN_MOUNTS].map(([code, from]) => [
    `\`${code}\``,
    from.map((one) => `\`${one}\``).join(", "),
  ]);
  expect(tableOf(readDocument("docs/errors.md"), "in `mounts`")).toEqual(rows);
});

describe("the documents", () => {
  const UNGIVEN = ["E_SCHEMA_VALIDATION", "E_INVALID_TRANSITION", "E_INTERNAL"];
  const known = new Set<string>([...Object.keys(ERRORS), ...IN_MOUNTS.keys(), ...UNGIVEN]);
  const OTHER =
    /^(?:O|TOOL|HOTCELL)_|^(?:DEPLOY_TOKEN|NODE_EXTRA_CA_CERTS)$|^(?:WORKSPACE_FS_MODE|SEARXNG_URL|(?:[A-Z]+_)?API_KEY|MODEL_(?:PROVIDER|NAME|BASE_URL))$|^GIT_(OPTIONAL_LOCKS|CONFIG_COUNT)$|^XDG_(STATE|CACHE|CONFIG)_HOME$/;

  test.each(DOCUMENTS)("%s names only codes that there are", (name) => {
    const words = readDocument(name).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [];
    expect(words.filter((word) => !OTHER.test(word) && !known.has(word))).toEqual([]);
  });
});
