import { expect, test } from "vitest";
import { explaining } from "./os-error.ts";

function refusal(code: string, syscall: string): string {
  const work = () => {
    throw Object.assign(new Error(code), { code, syscall });
  };
  try {
    explaining("rename", "d", work);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

test("a directory that is not empty is told as such, also where the file system says that something is there", () => {
  expect(refusal("EEXIST", "rename")).toBe(refusal("ENOTEMPTY", "rename"));
  expect(refusal("EEXIST", "rename")).toContain("the directory is not empty");
  expect(refusal("EEXIST", "mkdir")).toContain("something is there already");
});
