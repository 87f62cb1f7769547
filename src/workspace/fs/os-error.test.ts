import { expect, test } from "vitest";
import { explainErrors } from "./os-error.ts";

function refusal(code: string, syscall: string): string {
  const work = () => {
    throw Object.assign(new Error(code), { code, syscall });
  };
  try {
    explainErrors("rename", "d", work);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

test("a non-empty directory has its own message, also on file systems that report EEXIST", () => {
  expect(refusal("EEXIST", "rename")).toBe(refusal("ENOTEMPTY", "rename"));
  expect(refusal("EEXIST", "rename")).toContain("the directory is not empty");
  expect(refusal("EEXIST", "mkdir")).toContain("something is there already");
});
