import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../kit/worlds/document.ts";

interface Entry {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

// A registry that lacks packages for other platforms makes npm leave them out, and then `npm ci` refuses.
test("npm ci works on a clean clone: every optional dependency has its entry in package-lock.json", () => {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, "package-lock.json"), "utf8"));
  const entries = Object.entries<Entry>(packages);
  const places = entries.map(([place]) => place);
  const needed = entries.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies));
  expect(needed.length).toBeGreaterThan(0);
  expect(needed.filter((name) => !places.some((place) => place.endsWith(`node_modules/${name}`)))).toEqual(
    [],
  );
});
