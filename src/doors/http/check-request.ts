// The guard of all HTTP doors: decides by the head of a request whether it may be read at all. A web page that the user
// visits can send requests to this machine, under any name that leads here. It does not know the token, and a browser
// tells its origin.
import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "../../core/errors.ts";
import { parseUrl } from "../../core/parse-url.ts";
import { quote } from "../../core/quote.ts";
import { cookieValue, readLoginCookie } from "./login-cookie.ts";
import type { TokenFile } from "./token-file.ts";

export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  /** When to try again, if that may help. */
  readonly retryAfterSeconds?: number;
}

export type RequestHead = Pick<IncomingMessage, "method" | "url" | "rawHeaders">;

/** Who may request a path: anybody, who has the token, or nobody, because the server has nothing there. */
export type RequestAccess = "open" | "token" | "nothing";

/** What the guard has to know of its server. */
export interface Guarded {
  readonly token: TokenFile;
  readonly accessOf: (path: string) => RequestAccess;
  /** Whether a browser may send the cookie of a login instead of the token. */
  readonly hasLogin: boolean;
}

/** Where a request arrived. */
export interface LocalAddress {
  readonly address: string;
  readonly port: number;
}

/** Null for a request that may be read. */
export function checkRequest(head: RequestHead, at: LocalAddress, guarded: Guarded): Refusal | null {
  return (
    checkHost(head, at) ??
    checkTarget(head) ??
    checkOrigin(head, at) ??
    checkToken(head, at, guarded) ??
    checkContent(head)
  );
}

/** The address itself, never a name that somebody else can make lead here; for this machine also `localhost`. */
export function authoritiesOf({ address, port }: LocalAddress): string[] {
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)/, "");
  const own = plain.includes(":") ? `[${plain}]` : plain;
  const names = plain === "127.0.0.1" || plain === "::1" ? [own, "localhost"] : [own];
  const withPort = names.map((name) => `${name}:${port}`);
  // Clients leave out the port of the scheme.
  return port === 80 ? [...names, ...withPort] : withPort;
}

/** DNS rebinding: the page's own name leads here, and the browser says that name. */
function checkHost(head: RequestHead, at: LocalAddress): Refusal | null {
  const [host, ...more] = valuesOf(head, "host");
  if (host === undefined || more.length > 0) return refuse(400, "it must have one header host");
  if (authoritiesOf(at).includes(host)) return null;
  return refuse(421, `this server is ${authoritiesOf(at).join(" or ")}, not ${quote(host)}`);
}

/** Only the usual methods, and only the form in which a path has one spelling. */
function checkTarget(head: RequestHead): Refusal | null {
  if (!METHODS.has(head.method ?? ""))
    return refuse(405, `it does not take the method ${quote(head.method)}`);
  const path = pathOf(head);
  const isCanonical =
    path.startsWith("/") && parseUrl(path, BASE)?.pathname === path && !NEEDLESS_ESCAPE.test(path);
  return isCanonical ? null : refuse(400, `the path ${quote(path)} is not written in its shortest form`);
}

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const BASE = "http://localhost";

/** Of a letter, a digit or one of `-._~`, which mean the same without it (RFC 3986, section 2.3). `URL` keeps it. */
const NEEDLESS_ESCAPE = /%(2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a]|5f|7e)/i;

export const pathOf = ({ url = "" }: RequestHead): string => url.split("?", 1)[0]!;

/** Programs send no origin. A page of another port of this machine is another origin. */
function checkOrigin(head: RequestHead, at: LocalAddress): Refusal | null {
  const origins = valuesOf(head, "origin");
  const own = authoritiesOf(at).map((name) => `http://${name}`);
  const foreign = origins.length > 1 ? origins.join(", ") : origins.find((origin) => !own.includes(origin));
  if (foreign !== undefined) return refuse(403, `pages of ${quote(foreign)} may not use it`);
  const [site = "none"] = valuesOf(head, "sec-fetch-site");
  if (site === "none" || site === "same-origin") return null;
  return refuse(403, `a page of another origin sent the request (sec-fetch-site is ${quote(site)})`);
}

function checkToken(head: RequestHead, { port }: LocalAddress, guarded: Guarded): Refusal | null {
  const { token, accessOf, hasLogin } = guarded;
  const access = accessOf(pathOf(head));
  if (access === "open") return null;
  if (access === "nothing") return refuse(404, `there is nothing at ${quote(pathOf(head))}`);
  const values = valuesOf(head, "authorization");
  const given = values.length === 1 ? (/^Bearer ([^\s]+)$/.exec(values[0]!)?.[1] ?? "") : "";
  if (isSameSecret(given, token.token)) return null;
  const cookie = hasLogin && values.length === 0 ? readLoginCookie(valuesOf(head, "cookie"), port) : "";
  return isSameSecret(cookie, cookieValue(token)) ? null : withoutToken(token);
}

/** Compares digests: the time says nothing about the secret. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", secret, "buffer"));
}

export function withoutToken({ file }: TokenFile): Refusal {
  return {
    status: 401,
    code: "UNAUTHORIZED",
    message: `Could not take the request: it has no valid token. Send the header "Authorization: Bearer TOKEN"; the token is in ${quote(file)} on the server's machine.`,
  };
}

/** JSON only: no form of a web page can send that without asking first. */
function checkContent(head: RequestHead): Refusal | null {
  if (valuesOf(head, "x-http-method-override").length > 0)
    return refuse(400, "it does not take the header x-http-method-override");
  if (!hasBody(head)) return null;
  if (head.method !== "POST") return refuse(400, `${head.method} takes no body`);
  const types = valuesOf(head, "content-type");
  if (types.length !== 1 || !/^application\/json\s*(;|$)/i.test(types[0]!))
    return refuse(415, 'the content-type must be "application/json"');
  if (valuesOf(head, "content-encoding").some((encoding) => encoding !== "identity"))
    return refuse(415, "it takes no compressed body");
  return null;
}

export function hasBody(head: RequestHead): boolean {
  const [length = "0"] = valuesOf(head, "content-length");
  return head.method === "POST" || length !== "0" || valuesOf(head, "transfer-encoding").length > 0;
}

/** `headers` of a request drops or joins values that come twice. */
function valuesOf({ rawHeaders }: RequestHead, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
}

export function refuse(status: number, reason: string): Refusal {
  return { status, code: "REQUEST_REFUSED", message: `Could not take the request: ${reason}.` };
}
