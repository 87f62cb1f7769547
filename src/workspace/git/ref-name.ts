// Names of refs, by the rules of `git check-ref-format`.
import { hasHalfCharacter } from "../fs/names.ts";

const FORBIDDEN = /[\p{Cc} ~^:?*[\\]|\.\.|@\{/u;
/** With `.lock` a name must still fit in a directory. */
const MAX_NAME_BYTES = 240;

/** Also by the rules of `git branch`: HEAD and names with a leading dash are refused. */
export function isBranchName(name: string): boolean {
  return name !== "HEAD" && !name.startsWith("-") && isRefName(`refs/heads/${name}`);
}

export function isRefName(name: string): boolean {
  return (
    name.startsWith("refs/") &&
    !hasHalfCharacter(name) &&
    !FORBIDDEN.test(name) &&
    !name.endsWith(".") &&
    name.split("/").every(isComponent)
  );
}

function isComponent(name: string): boolean {
  return (
    name !== "" &&
    !name.startsWith(".") &&
    !name.endsWith(".lock") &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES
  );
}
