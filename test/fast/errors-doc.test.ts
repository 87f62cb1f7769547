import { describe, expect, test } from "vitest";
import { ERRORS } from "../../src/core/errors.ts";
import { DOCUMENTS, readDocument, tableOf } from "../kit/document.ts";

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

describe("the documents", () => {
  const OTHER = /^(?:O|TOOL|HOTCELL)_|^WORKSPACE_FS_MODE$|^XDG_(STATE|CACHE)_HOME$/;

  test.each(DOCUMENTS)("%s names only codes that there are", (name) => {
    const words = readDocument(name).match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [];
    expect(words.filter((word) => !OTHER.test(word) && !Object.hasOwn(ERRORS, word))).toEqual([]);
  });
});
