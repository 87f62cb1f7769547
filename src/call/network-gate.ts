// Lets commands connect to hosts: judges each connection by the rules, asks a person if a rule says so, dials public
// addresses, and writes one line in the log for each connection.
import type { Socket } from "node:net";
import { type ApprovalRequest, type Approve, askApproval } from "../approval/approve.ts";
import type { CallOrigin, RememberedAnswers } from "../approval/remembered.ts";
import { digest } from "../core/canonical-json.ts";
import { startDeadline } from "../core/deadline.ts";
import { HotcellError } from "../core/errors.ts";
import { formatHostPort, type HostPort, readHostPort } from "../core/host-name.ts";
import { deepFreeze, type JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import type { RefusedHost, Verdict } from "../core/types.ts";
import type { Log } from "../log/log.ts";
import { createDial, type Dial, resolveByDns } from "../net/dial.ts";
import type { Judged, Policy } from "../policy/judge.ts";
import { judgeNetwork, NO_NETWORK, opensNetwork } from "../policy/judge-network.ts";
import { exactTarget, networkRule, THIS_MACHINE } from "../policy/network-pattern.ts";
import { NETWORK } from "../policy/tool-names.ts";
import { builtInVerdict } from "../policy/verdicts.ts";
import type { NetworkGate } from "../shield/egress/network-gate.ts";

export interface NetworkGateParts {
  readonly policy: Pick<Policy, "rules">;
  readonly approve: Approve | null;
  readonly log: Log;
  readonly allowedPrivateHosts: readonly HostPort[];
  readonly isDirect: boolean;
  /** Who asks, for questions to a person. */
  readonly asker: Pick<ApprovalRequest, "agentId" | "session" | "project">;
  /** Keeps a yes for the session. */
  readonly remembered: RememberedAnswers;
}

/** Collects the hosts that were refused while a call ran. */
export interface NetworkWatch {
  /** So far, also after the end. */
  refused(): readonly RefusedHost[];
  /** Hosts that the rules allow and nobody could connect to, as sentences; so far. */
  unreached(): readonly string[];
  end(): void;
}

export interface CellNetworkGate extends NetworkGate {
  watch(callId: string): NetworkWatch;
  /** Records connections that are still open. */
  close(): void;
}

interface Running {
  connections: number;
  readonly refused: Map<string, RefusedHost>;
  readonly unreached: Map<string, string>;
  /** Hosts that a person allowed for this call. */
  readonly allowed: Set<string>;
}

interface Question {
  readonly target: HostPort;
  readonly verdict: Verdict;
  /** The newest of the running calls. */
  readonly callId: string;
}

export function createNetworkGate(parts: NetworkGateParts): CellNetworkGate {
  const { policy, approve, log } = parts;
  const targets = exactTargets(policy);
  const dial = createGateDial(parts.allowedPrivateHosts, targets);
  const running = new Map<string, Running>();
  const open = new Set<() => void>();
  const { session, project } = parts.asker;
  const origin: CallOrigin = { run: null, session, project };
  const questions = new Map<string, Promise<void>>();

  const runningCalls = () => [...running.keys()].slice(0, LIMITS.maxLoggedItems);
  const record = (place: string, verdict: Verdict, more: JsonObject) =>
    log.event("network.connect", {
      ...splitPlace(place),
      decision: verdict.decision,
      rule: verdict.rule.text,
      ...more,
    });
  const noteRefused = (place: string, refused: RefusedHost) => {
    for (const call of running.values())
      if (call.refused.size < LIMITS.maxRefusedHosts) call.refused.set(place, refused);
  };
  const refuse = (place: string, verdict: Verdict, refused: Omit<RefusedHost, "host">): HotcellError => {
    const { reason } = refused;
    noteRefused(place, { host: place, ...refused });
    const calls = runningCalls();
    record(place, { ...verdict, decision: "deny" }, { sentBytes: 0, receivedBytes: 0, reason, calls });
    return new HotcellError("NETWORK_DENIED", reason);
  };

  /** The rules allow the host, but it could not be reached. */
  const noteUnreached = (place: string, verdict: Verdict, reason: string) => {
    for (const { unreached } of running.values())
      if (unreached.size < LIMITS.maxRefusedHosts)
        unreached.set(place, `The rules allow ${place}, but it could not be reached: ${reason}`);
    const calls = runningCalls();
    record(place, { ...verdict, decision: "allow" }, { sentBytes: 0, receivedBytes: 0, reason, calls });
  };

  /** A command must not fill the disk with records of connections. */
  const countConnection = () => {
    for (const call of running.values()) {
      if (++call.connections <= LIMITS.maxConnectionsPerCall) continue;
      const reason = `more than ${LIMITS.maxConnectionsPerCall} connections in one call`;
      call.refused.set("further hosts", { host: "further hosts", reason });
      throw new HotcellError("NETWORK_DENIED", reason);
    }
  };
  /** Any of the running calls may have connected, so a yes for one of them is none for all. */
  const isAllowed = (target: HostPort) =>
    (running.size > 0 && [...running.values()].every(({ allowed }) => allowed.has(formatHostPort(target)))) ||
    parts.remembered.find(judgedHost(target), digest(argumentsOf(target)), origin) !== null;
  /** One question for all connections that wait for the same answer. */
  const ask = (target: HostPort, verdict: Verdict, signal: AbortSignal): Promise<void> => {
    const callId = [...running.keys()].at(-1) ?? "";
    const question = `${formatHostPort(target)} ${callId}`;
    const asking =
      questions.get(question) ??
      askPerson({ target, verdict, callId }, signal).finally(() => questions.delete(question));
    questions.set(question, asking);
    return asking;
  };
  const askPerson = async ({ target, verdict, callId }: Question, signal: AbortSignal): Promise<void> => {
    const place = formatHostPort(target);
    const args = argumentsOf(target);
    const calls = [...running.values()];
    const request = {
      ...parts.asker,
      callId,
      tool: NETWORK,
      arguments: args,
      paths: [],
      digest: digest(args),
      verdict,
      preview: null,
      rememberFor: session === null ? [] : (["session"] as const),
      allowRule: null,
    };
    const deadline = startDeadline(LIMITS.networkApprovalMs, `The question about ${place}`, signal);
    let approved = false;
    log.event("approval.asked", {
      toolCallId: callId,
      toolName: NETWORK,
      target: place,
      rule: verdict.rule.text,
    });
    try {
      const grant = await deadline.wait(askApproval(request, approve, deadline.signal));
      grant.use(callId, request.digest);
      approved = true;
      if (grant.remember !== null) parts.remembered.add(NETWORK, request.digest, grant.remember, origin);
      for (const { allowed } of calls) allowed.add(place);
    } finally {
      deadline.end();
      log.event("approval.answered", { toolCallId: callId, toolName: NETWORK, target: place, approved });
    }
  };

  const keep = (socket: Socket, place: string, verdict: Verdict): Socket => {
    const startedAt = performance.now();
    // A command may have ended before its connection does.
    const calls = runningCalls();
    const end = () => {
      if (!open.delete(end)) return;
      const { bytesWritten: sentBytes, bytesRead: receivedBytes } = socket;
      const durationMs = Math.round(performance.now() - startedAt);
      // The next call will detect that the log cannot be written.
      ignoreFailure(() =>
        record(place, { ...verdict, decision: "allow" }, { sentBytes, receivedBytes, durationMs, calls }),
      );
    };
    open.add(end);
    socket.once("close", end);
    return socket;
  };

  return {
    targets,
    isDirect: parts.isDirect,
    hasGrants: policy.rules.some(opensNetwork),
    async open(target, signal) {
      countConnection();
      const place = formatHostPort(target);
      const verdict = judgeNetwork(target, policy);
      if (verdict.decision === "deny") throw refuse(place, verdict, refusalBy(verdict, target));
      if (verdict.decision === "ask" && !isAllowed(target)) {
        await ask(target, verdict, signal).catch((error) => {
          throw refuse(place, verdict, { reason: messageOf(error) });
        });
      }
      const socket = await dial(target, signal).catch((error) => {
        const isRefused = error instanceof HotcellError && error.code === "NETWORK_DENIED";
        if (isRefused) throw refuse(place, verdict, { reason: error.message });
        noteUnreached(place, verdict, messageOf(error));
        throw error;
      });
      return keep(socket, place, verdict);
    },
    refuse(place, reason) {
      // The caller ends the connection whether or not this can be recorded.
      ignoreFailure(() => {
        countConnection();
        refuse(place, builtInVerdict("deny", "one host for each connection", reason), { reason });
      });
    },
    noteExcess() {
      const host = "further connections";
      const reason = `more than ${LIMITS.maxEgressConnections} connections at once`;
      const calls = [...running.values()].filter(({ refused }) => !refused.has(host));
      if (calls.length === 0) return;
      for (const { refused } of calls) refused.set(host, { host, reason });
      ignoreFailure(() =>
        record(host, builtInVerdict("deny", "connections at once", reason), {
          ...{ sentBytes: 0, receivedBytes: 0, reason },
          calls: runningCalls(),
        }),
      );
    },
    watch(callId) {
      const watched: Running = {
        connections: 0,
        refused: new Map(),
        unreached: new Map(),
        allowed: new Set(),
      };
      running.set(callId, watched);
      return {
        refused: () => [...watched.refused.values()],
        unreached: () => [...watched.unreached.values()],
        end: () => void running.delete(callId),
      };
    },
    close() {
      for (const end of open) end();
    },
  };
}

const argumentsOf = ({ host, port }: HostPort) => deepFreeze({ host, port });

const judgedHost = (target: HostPort): Judged => ({
  tool: NETWORK,
  danger: "dangerous",
  effect: "change",
  subject: "host",
  subjects: [formatHostPort(target)],
  protection: "none",
});

/** Hosts and ports that the rules which open the network name without a wildcard. */
function exactTargets({ rules }: Pick<Policy, "rules">): HostPort[] {
  return rules
    .filter((rule) => opensNetwork(rule) && rule.pattern !== null)
    .map(({ pattern }) => exactTarget(pattern!))
    .filter((target) => target !== null);
}

/** A further rule helps only where none has decided: deny and ask are stronger than allow. */
function refusalBy({ rule: decided, reason }: Verdict, target: HostPort): Omit<RefusedHost, "host"> {
  const rule = decided.text === NO_NETWORK ? networkRule(target) : null;
  return { reason, ...(rule !== null && { rule }) };
}

const LOOPBACK = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** The name of this machine's loopback. hotcell does not look it up in the DNS. */
function createGateDial(allowed: readonly HostPort[], targets: readonly HostPort[]): Dial {
  return createDial({
    allowedPrivateHosts: [...allowed, ...targets.filter(({ host }) => host === THIS_MACHINE)],
    resolve: async (host) => (host === THIS_MACHINE ? LOOPBACK : resolveByDns(host)),
  });
}

/** A refused place may be any text. */
function splitPlace(place: string): { readonly host: string; readonly port: number | null } {
  return readHostPort(place) ?? { host: place, port: null };
}

/** For work in an event handler, where an error would end the process. */
function ignoreFailure(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof HotcellError)) throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
