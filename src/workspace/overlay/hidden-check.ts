import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import type { Protection } from "../../policy/protected.ts";
import { osPath } from "../fs/names.ts";
import type { Strategy } from "../layers/record.ts";

/** Tells by the session's mask whether the project's entry at a path is hidden from the session's commands. */
export function createHiddenCheck(
  dir: string,
  strategy: Strategy,
  protectionOf: (path: string) => Protection | null,
): (at: string) => boolean {
  const mask = path.join(dir, "mask");
  const isSecret = (at: string) => [at, `${at}/`].some((judged) => protectionOf(judged)?.read === "refuse");
  return (at) => isSecret(at) && (strategy === "clone" ? !isCopied(mask, at) : isCovered(mask, at));
}

/** The copy has a secret only if its bytes are in the mask. */
function isCopied(mask: string, at: string): boolean {
  const found = statIn(mask, at);
  return found !== "covered" && found?.isFile() === true;
}

/** A whiteout at the path, or above it. */
function isCovered(mask: string, at: string): boolean {
  const found = statIn(mask, at);
  return found === "covered" || found?.isCharacterDevice() === true;
}

function statIn(mask: string, at: string): fs.Stats | "covered" | null {
  try {
    return fs.lstatSync(osPath(`${mask}/${at}`));
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return null;
    return "covered";
  }
}
