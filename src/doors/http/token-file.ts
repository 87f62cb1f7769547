// The token of all HTTP doors of this user: a file in the state directory that only the user can read. It stays the same
// after a restart, so that clients need not be configured again.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { HotcellError, osErrorCode } from "../../core/errors.ts";
import { openRegularFile, type RegularFile } from "../../core/open-regular-file.ts";
import { quote } from "../../core/quote.ts";

export interface TokenFile {
  readonly file: string;
  readonly token: string;
}

/** Creates the file if there is none. Throws CONFIG_INVALID for a file that others could have read or written. */
export function openTokenFile(stateDir: string): TokenFile {
  const file = path.join(stateDir, "http-token");
  fs.mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  if (!fs.existsSync(file)) createToken(file);
  return { file, token: readToken(file) };
}

/** A file that the operator made: with a token of at least 32 characters without spaces. */
export function readTokenFile(file: string): TokenFile {
  return { file, token: readToken(file) };
}

/** If two processes create it at once, the first one wins. */
function createToken(file: string): void {
  const written = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  fs.writeFileSync(written, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  try {
    fs.linkSync(written, file);
  } catch (error) {
    if (osErrorCode(error) !== "EEXIST") throw error;
  } finally {
    fs.rmSync(written);
  }
}

function readToken(file: string): string {
  const { fd, stat } = openOwn(file);
  try {
    if (stat.uid !== process.getuid?.()) throw unusable(file, "it belongs to another user");
    if ((stat.mode & 0o077) !== 0) throw unusable(file, "others may read or write it");
    const token = fs.readFileSync(fd, "utf8").trim();
    if (!/^[\x21-\x7e]{32,512}$/.test(token))
      throw unusable(file, "it has no token of at least 32 characters without spaces");
    return token;
  } finally {
    fs.closeSync(fd);
  }
}

function openOwn(file: string): RegularFile {
  let opened: RegularFile | null;
  try {
    opened = openRegularFile(file, fs.constants.O_NOFOLLOW);
  } catch (error) {
    throw unusable(file, `it cannot be opened (${osErrorCode(error)})`);
  }
  if (opened === null) throw unusable(file, "it is no file");
  return opened;
}

function unusable(file: string, problem: string): HotcellError {
  return new HotcellError(
    "CONFIG_INVALID",
    `Could not use the token file ${quote(file)}: ${problem}. Write a new one, for its owner alone (chmod 600). Delete it if it is hotcell's own: hotcell creates a new one.`,
  );
}
