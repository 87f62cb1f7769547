import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, onTestFinished, test, vi } from "vitest";
import { BUILTIN_TOOLS, PRECOMPILED_TOOLS } from "./builtin-tools.ts";
import { createValidator } from "./validate.ts";
import { validatorSource } from "./validator-source.ts";

test("the precompiled validators are those of the built-in tools' schemas; else run `npm run precompile`", () => {
  const file = readFileSync(new URL("./validators.gen.ts", import.meta.url), "utf8");
  expect(file).toBe(validatorSource(PRECOMPILED_TOOLS));
});

test("they need nothing of ajv", () => {
  const imports = validatorSource(PRECOMPILED_TOOLS).match(/^import .*|require\(.*/gm);
  expect(imports).toEqual(['import { formats } from "./formats.ts";']);
});

test("the built-in tools, and the tool of hotcell exec and run, are validated without compiling a schema", async () => {
  const compile = vi.spyOn(Ajv.prototype, "compile");
  onTestFinished(() => compile.mockRestore());
  const validate = await createValidator(PRECOMPILED_TOOLS);
  const [readFile] = BUILTIN_TOOLS;
  expect(validate(readFile!, { path: "a", start_line: "2" })).toEqual({
    arguments: { path: "a", start_line: 2 },
    repairs: ['Converted the text "2" in arguments.start_line to the number 2.'],
  });
  expect(() => validate(readFile!, { path: "" })).toThrow("arguments.path: a path cannot be empty");
  expect(compile).not.toHaveBeenCalled();
  await createValidator([{ ...readFile!, inputSchema: { type: "object" } }]);
  expect(compile).toHaveBeenCalledOnce();
});
