import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT, readDocument } from "../../kit/worlds/document.ts";

test("docs/session.svg is what npm run docs records of the README's session", () => {
  const script = path.join(ROOT, "scripts/record-session.js");
  expect(execFileSync(process.execPath, [script, "--print"], { encoding: "utf8" })).toBe(
    readDocument("docs/session.svg"),
  );
});
