import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT, readDocument } from "../kit/worlds/document.ts";

test("docs/options.md is what npm run docs writes", () => {
  const script = path.join(ROOT, "scripts/write-options-page.js");
  expect(readDocument("docs/options.md")).toBe(
    execFileSync(process.execPath, [script, "--print"], { encoding: "utf8" }),
  );
});
