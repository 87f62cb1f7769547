// Opens a TCP connection to a public address. The addresses that are checked are the addresses that are dialled: a name
// that resolves differently a moment later changes nothing.
import dns from "node:dns";
import { once } from "node:events";
import net, { isIP, type Socket } from "node:net";
import { startDeadline } from "../core/deadline.ts";
import { HotcellError, osErrorCode } from "../core/errors.ts";
import { formatHostPort, type HostPort } from "../core/host-name.ts";
import { LIMITS } from "../core/limits.ts";
import { isPrivateIP } from "./addresses.ts";

export type Address = dns.LookupAddress;

/** Rejects with the system's error if the name does not resolve. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

/** Begins a connection to one of the addresses. */
export type Connect = (addresses: readonly Address[], port: number) => Socket;

export interface DialOptions {
  /** Exact `host:port` pairs that may have a private address. */
  readonly allowedPrivateHosts?: readonly HostPort[];
  readonly resolve?: Resolve;
  readonly connect?: Connect;
}

/** Resolves with a connected socket. Throws NETWORK_DENIED for a private address, NETWORK_ERROR if nobody answers. */
export type Dial = (target: HostPort, signal: AbortSignal) => Promise<Socket>;

export function createDial(options: DialOptions = {}): Dial {
  const { allowedPrivateHosts = [], resolve = resolveByDns, connect = connectToFirst } = options;
  const allowed = new Set(allowedPrivateHosts.map(formatHostPort));
  return async (target, signal) => {
    const check = allowed.has(formatHostPort(target))
      ? () => {}
      : (address: string) => refusePrivate(target, address);
    const deadline = startDeadline(
      LIMITS.connectTimeoutMs,
      `Connecting to ${formatHostPort(target)}`,
      signal,
    );
    try {
      const addresses = await deadline.wait(resolveHost(target, resolve));
      for (const { address } of addresses) check(address);
      const socket = connect(addresses, target.port);
      await connected(socket, target, deadline.signal);
      checkConnected(socket, check);
      return socket;
    } finally {
      deadline.end();
    }
  };
}

async function resolveHost({ host, port }: HostPort, resolve: Resolve): Promise<readonly Address[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const addresses = await resolve(host).catch((error) => {
    throw unreachable({ host, port }, error);
  });
  if (addresses.length > 0) return addresses;
  throw unreachable({ host, port }, new Error("the name has no address"));
}

async function connected(socket: Socket, target: HostPort, signal: AbortSignal): Promise<void> {
  try {
    if (socket.connecting) await once(socket, "connect", { signal });
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : unreachable(target, error);
  }
}

/** The kernel, or a program that redirects connections, may have chosen another address. */
function checkConnected(socket: Socket, check: (address: string) => void): void {
  try {
    check(socket.remoteAddress ?? "unknown");
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function refusePrivate({ host }: HostPort, address: string): void {
  if (!isPrivateIP(address)) return;
  const message = `SSRF: private network access denied for ${host} (${address})`;
  throw new HotcellError("NETWORK_DENIED", message, { host, address });
}

function unreachable(target: HostPort, error: unknown): HotcellError {
  const { code, message } = firstError(error);
  const reason = (code !== undefined && REASONS.get(code)) ?? message;
  return new HotcellError("NETWORK_ERROR", `Could not connect to ${formatHostPort(target)}: ${reason}.`);
}

/** If every address failed, Node gives all errors as one. */
function firstError(error: unknown): { readonly code: string | undefined; readonly message: string } {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return { code: osErrorCode(first), message: first instanceof Error ? first.message : String(first) };
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ENOTFOUND", "there is no host of that name"],
  ["EAI_AGAIN", "the name could not be looked up"],
  ["ECONNREFUSED", "the connection was refused"],
  ["ECONNRESET", "the connection was reset"],
  ["EHOSTUNREACH", "there is no route to it"],
  ["ENETUNREACH", "there is no route to it"],
  ["ETIMEDOUT", "there was no answer"],
]);

export function resolveByDns(host: string): Promise<readonly Address[]> {
  return dns.promises.lookup(host, { all: true, verbatim: true });
}

function connectToFirst(addresses: readonly Address[], port: number): Socket {
  const [first] = addresses;
  return net.connect({
    host: addresses.length === 1 ? first!.address : "several.invalid",
    port,
    autoSelectFamily: true,
    noDelay: true,
    lookup: (_host, _options, callback) => callback(null, [...addresses]),
  });
}
