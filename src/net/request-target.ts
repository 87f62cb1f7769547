import { HotcellError } from "../core/errors.ts";
import { type HostPort, readHost } from "../core/host-name.ts";
import { LIMITS } from "../core/limits.ts";
import { parseUrl } from "../core/parse-url.ts";
import { quote } from "../core/quote.ts";

/** Reads a URL that may be requested. Throws INVALID_ARGUMENTS for any other text. */
export function readRequestUrl(text: string, base?: URL): URL {
  if (text.length > LIMITS.maxUrlChars)
    throw refused(text, `it is longer than ${LIMITS.maxUrlChars} characters. Give a shorter one`);
  const url = parseUrl(text, base?.href);
  if (url === null) throw refused(text, "it is no URL. Write it like https://example.com/path");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refused(text, `its scheme is ${quote(url.protocol)}. Allowed are http and https`);
  if (url.username !== "" || url.password !== "")
    throw refused(text, "it has a user name or a password. Give credentials in a header");
  targetOf(url);
  return url;
}

export function targetOf(url: URL): HostPort {
  const host = readHost(url.hostname);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  if (host === null) throw refused(url.href, "its host is no host name and no IP address");
  if (port === 0) throw refused(url.href, "no server has port 0");
  return { host, port };
}

function refused(text: string, problem: string): HotcellError {
  return new HotcellError("INVALID_ARGUMENTS", `Could not request ${quote(text)}: ${problem}.`);
}
