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
  // What ends like a code of ours and stands between no other word characters.
  const CODE = /(?<![\w$/.])(?:[A-Z]+_)*(?:ERROR|ARGUMENTS|TOOL|WORKSPACE|PATH|UNAVAILABLE|TAMPERED|INVALID|FAILED|EXISTS|FOUND|LARGE|SUPPORTED|UNUSABLE)(?![\w/])/g;

  test.each(DOCUMENTS)("%s names only codes that there are", (name) => {
    const named = [...readDocument(name).matchAll(CODE)].map(([code]) => code);
    expect(named.filter((code) => code.includes("_") && !Object.hasOwn(ERRORS, code))).toEqual([]);
  });
});
