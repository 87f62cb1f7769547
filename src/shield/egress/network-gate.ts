import type { Socket } from "node:net";
import type { HostPort } from "../../core/host-name.ts";

/** How commands reach hosts. */
export interface NetworkGate {
  /** Whether a rule opens the way to any host. */
  readonly hasGrants: boolean;
  /** Commands use this machine's own network: nothing is judged. */
  readonly isDirect: boolean;
  /** Exact hosts and ports that rules name. */
  readonly targets: readonly HostPort[];
  /** Judges, asks, dials and records. Throws a HotcellError if the host is refused or can't be reached. */
  open(target: HostPort, signal: AbortSignal): Promise<Socket>;
  /** Records a refusal that no rule can lift, such as of a connection that names another host than it was granted for. */
  refuse(target: string, reason: string): void;
  /** Records, once for each call, that a connection was closed because too many were open. */
  noteExcess(): void;
}
