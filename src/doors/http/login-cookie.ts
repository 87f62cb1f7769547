// The cookie that a browser gets for the token. Its value is derived from the token: it holds as long as the token, and
// does not disclose it.
import { createHmac } from "node:crypto";
import type { TokenFile } from "./token-file.ts";

/** A cookie belongs to a host with all its ports. So the name has the port: servers do not overwrite each other's. */
const nameFor = (port: number): string => `hotcell-${port}`;

/** For the header `set-cookie`. A page of another site never sends it, and no script reads it. */
export function loginCookie(port: number, token: TokenFile): string {
  return `${nameFor(port)}=${cookieValue(token)}; Path=/; HttpOnly; SameSite=Strict`;
}

/** The value in a request's header `cookie`; empty if it has none, or several. */
export function readLoginCookie(headers: readonly string[], port: number): string {
  const prefix = `${nameFor(port)}=`;
  const found = headers
    .flatMap((header) => header.split(";"))
    .map((one) => one.trim())
    .filter((one) => one.startsWith(prefix));
  return found.length === 1 ? found[0]!.slice(prefix.length) : "";
}

export function cookieValue({ token }: TokenFile): string {
  return createHmac("sha256", token).update("hotcell login cookie").digest("base64url");
}
