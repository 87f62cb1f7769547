// Passes bytes between a command and a granted host, once the command's first bytes name that host.
import type { Socket } from "node:net";
import { formatHostPort, type HostPort } from "../../core/host-name.ts";
import { LIMITS } from "../../core/limits.ts";
import { type FirstBytes, readFirstBytes } from "./first-bytes.ts";
import type { NetworkGate } from "./network-gate.ts";

export interface TunnelOptions {
  readonly target: HostPort;
  readonly gate: NetworkGate;
  /** Takes over a client that speaks HTTP, so that each of its requests is read. */
  readonly speakHttp: (client: Socket, upstream: Socket) => void;
}

/** `client` has sent nothing yet that was read. The host may speak first. */
export function tunnel(client: Socket, upstream: Socket, options: TunnelOptions): void {
  const { target, gate, speakHttp } = options;
  const destroy = () => {
    client.destroy();
    upstream.destroy();
  };
  let seen = Buffer.alloc(0);
  // A client that begins to name a host has to finish.
  let timer: NodeJS.Timeout | undefined;
  const onData = (chunk: Buffer) => {
    seen = Buffer.concat([seen, chunk]);
    timer ??= setTimeout(destroy, LIMITS.headersTimeoutMs).unref();
    const first = readFirstBytes(seen);
    if (first.kind === "incomplete") return;
    clearTimeout(timer);
    client.off("data", onData).pause();
    client.unshift(seen);
    const problem = findProblem(first, target);
    if (problem !== null) {
      gate.refuse(formatHostPort(target), problem);
      destroy();
    } else if (first.kind === "http") {
      upstream.unpipe(client);
      leave();
      speakHttp(client, upstream);
    } else client.pipe(upstream);
  };
  const leave = joinEnds(client, upstream);
  client.on("data", onData);
  upstream.pipe(client);
}

/**
 * When one side is closed, the other still gets what was sent to it. Each side may end alone: a client that has sent
 * everything may wait for the answer. Gives a function that undoes this.
 */
function joinEnds(client: Socket, upstream: Socket): () => void {
  const setHalfOpen = (allowHalfOpen: boolean) => {
    for (const socket of [client, upstream]) socket.allowHalfOpen = allowHalfOpen;
  };
  const onClientEnd = () => void upstream.setTimeout(LIMITS.bodyTimeoutMs, () => upstream.destroy());
  const onClientClose = () => {
    onClientEnd();
    upstream.destroySoon();
  };
  const onUpstreamClose = () => client.destroySoon();
  setHalfOpen(true);
  client
    .on("error", () => {})
    .on("end", onClientEnd)
    .on("close", onClientClose);
  upstream.on("error", () => {}).on("close", onUpstreamClose);
  return () => {
    setHalfOpen(false);
    client.off("end", onClientEnd).off("close", onClientClose);
    upstream.off("close", onUpstreamClose);
  };
}

function findProblem(first: FirstBytes, { host }: HostPort): string | null {
  if (first.kind !== "tls" || first.host === host) return null;
  return first.host === null
    ? "its TLS names no host (SNI)"
    : `its TLS names another host (SNI ${first.host})`;
}
