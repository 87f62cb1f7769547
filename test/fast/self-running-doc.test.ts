import fs from "node:fs";
import { expect, test } from "vitest";
import { createProtection } from "../../src/policy/protected.ts";
import { SELF_RUNNING } from "../../src/policy/self-running.ts";

test("docs/threat-model.md shows the table of files that execute by themselves as it is in the code", () => {
  const page = fs.readFileSync(new URL("../../docs/threat-model.md", import.meta.url), "utf8");
  const [, section = ""] = page.split("## Files that execute by themselves\n");
  const rows = section
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const expected = SELF_RUNNING.map(
    ({ paths, class: name, reason }) =>
      `| ${paths.map((path) => `\`${path}\``).join(", ")} | ${name} | ${reason} |`,
  );
  expect(rows).toEqual(expected);
});

test.each(SELF_RUNNING)("every path of the row has its class: $reason", ({ class: name, paths }) => {
  const protectionOf = createProtection();
  const example = (path: string) => path.replace(/^\//, "").replace(/^\*/, "a").replace(/\/$/, "/below");
  for (const path of paths) {
    expect([path, protectionOf(example(path))?.class]).toEqual([path, name]);
    const isAnywhere = !path.startsWith("/");
    expect([path, protectionOf(`sub/${example(path)}`)?.class ?? null]).toEqual([
      path,
      isAnywhere ? name : null,
    ]);
    expect([path, protectionOf(example(path).toUpperCase())?.class]).toEqual([path, name]);
  }
});

test.each(["Makefile", "src/mise.ts", "docs/agents.md.txt", "src/github/workflows/a.yml", "npmrc"])(
  "%s is not among them",
  (path) => expect(createProtection()(path)).toBeNull(),
);
