// The messages between hotcell and a guest process.

import type { GuestSeed } from "../../../tools/wasm/guests.ts";
import type { MeterExports } from "../../../wasm/meter.ts";

/** One run; the body is the guest's standard input. */
export type RunMessage = {
  readonly op: "run";
  /** Of a module that the guest has. */
  readonly module: string;
  readonly names: MeterExports;
  /** `_start` of a command, or a JavaScript tool on QuickJS. */
  readonly script: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The paths at which the guest sees its mounts. */
  readonly mounts: readonly string[];
  readonly fuel: number;
  readonly maxOutputBytes: number;
  readonly maxDiagnosticBytes: number;
  /** Null: the machine's own time and random bytes. */
  readonly seed: GuestSeed | null;
};
