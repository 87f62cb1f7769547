import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assertProperty } from "../../test/kit/assert-property.ts";
import { findFault } from "./find-fault.ts";
import { CONFIG_PROPERTIES, CONFIG_SCHEMA, type Schema } from "./schema.ts";

const isValid = new Ajv({ strict: true }).compile(JSON.parse(JSON.stringify(CONFIG_SCHEMA)));

/** Right, but for a key that is missing, wrong, or one too many. */
const tool = fc
  .record({
    base: fc.constantFrom<object>(
      { name: "a", type: "command", description: "A.", command: "wc" },
      { name: "b", type: "inline", description: "B.", interpreter: "sh", script: "ls" },
    ),
    key: fc.constantFrom(
      "name",
      "type",
      "command",
      "args",
      "interpreter",
      "parameters",
      "secrets",
      "timeoutMs",
      "effect",
      "x",
    ),
    value: fc.constantFrom<unknown>(
      undefined,
      "",
      "inline",
      "sh",
      "read",
      1,
      0,
      null,
      {},
      { type: 1 },
      [],
      [""],
      ["A", "A"],
      ["A=B"],
    ),
  })
  .map(({ base, key, value }) => JSON.parse(JSON.stringify({ ...base, [key]: value })));

test("the published schema and the loader take the same configurations", () => {
  const value = fc.oneof(
    fc.constantFrom(
      "builtin",
      "wasm",
      "host",
      "overlay",
      "guided",
      "",
      "x",
      0,
      1,
      16,
      60,
      1.5,
      -1,
      1e300,
      true,
      null,
    ),
    fc.array(fc.constantFrom("sidecar", "mounts", "", 1), { maxLength: 3 }),
    fc
      .integer({ min: 999, max: 1002 })
      .map((length) => Array.from({ length }, (_, index) => `rule ${index}`)),
    fc.record(
      { secrets: fc.array(fc.constantFrom("a", "", 1)), allow: fc.constant(["b"]), other: fc.constant(1) },
      { requiredKeys: [] },
    ),
  );
  const key = fc.constantFrom(...Object.keys(CONFIG_PROPERTIES), "other", "constructor");
  assertProperty(
    fc.property(
      fc.oneof(fc.dictionary(key, value, { maxKeys: 2 }), value, fc.record({ tools: fc.array(tool) })),
      (config) => {
        expect(findFault(config, CONFIG_SCHEMA) === null).toBe(isValid(config));
      },
    ),
    { numRuns: 5000 },
  );
});

test("every setting is described, and its default is one that it takes", () => {
  for (const [name, schema] of Object.entries(CONFIG_PROPERTIES)) {
    expect(schema.description, name).toMatch(/\.$/);
    if ("default" in schema) expect(isValid({ [name]: schema.default }), name).toBe(true);
  }
});

test("every number and list has a minimum and a maximum, which error messages name", () => {
  const unbounded: string[] = [];
  const look = (schema: Schema, at: string): void => {
    if (schema.type === "integer" && (schema.minimum === undefined || schema.maximum === undefined))
      unbounded.push(at);
    if (schema.type === "array" && schema.maxItems === undefined) unbounded.push(at);
    for (const [key, member] of Object.entries(schema.properties ?? {})) look(member, `${at}.${key}`);
    for (const inner of [schema.items, ...(schema.oneOf ?? [])]) if (inner) look(inner, `${at}[]`);
  };
  look(CONFIG_SCHEMA, "");
  expect(unbounded).toEqual([]);
});
