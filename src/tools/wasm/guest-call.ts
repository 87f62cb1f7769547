// One call of a guest for a tool: what the tool's capabilities mean for the policy and its kit, and how its output is read.
import { HotcellError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { LIMITS } from "../../core/limits.ts";
import { parseJson } from "../../core/parse-json.ts";
import type { Kit, Need, Tool } from "../define-tool.ts";
import type { Granted } from "./grant.ts";
import type { GuestLimits, GuestProgram, GuestResult } from "./guests.ts";
import { answerHostCall } from "./host-calls.ts";

/** As manifests and configurations write them. */
export interface ToolGuestLimits {
  /** Seconds. */
  readonly timeout?: number;
  /** MiB. */
  readonly memory?: number;
  readonly fuel?: number;
}

export interface GuestTool {
  readonly name: string;
  readonly granted: Granted;
  /** The values of granted variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: GuestLimits;
}

export type GuestKit = Partial<Kit> & Pick<Kit, "guests">;

const MOUNT = "/workspace";

/** What follows from the capabilities. A tool that reaches out is asked for, and is never run again by itself. */
export function guestTraits(granted: Granted) {
  const { filesystem, model, network } = granted;
  const hasHosts = network === "any" || network.length > 0;
  const reachesOut = model || hasHosts;
  const changes = reachesOut || filesystem === "write";
  const needs: readonly (readonly [Need, boolean])[] = [
    ["guests", true],
    ["workspace", filesystem !== "none"],
    ["model", model],
    ["http", hasHosts],
  ];
  return {
    category: "info",
    danger: changes ? "dangerous" : "safe",
    effect: changes ? "change" : "read",
    contained: !reachesOut,
    keepsTime: true,
    needs: needs.filter(([, isNeeded]) => isNeeded).map(([need]) => need),
  } as const;
}

/** For the cell: whether the tool may ask its model, and reach any host. */
export function wasmGrants({ model, network }: Granted): NonNullable<Tool["wasm"]> {
  return { model, anyHost: network === "any" };
}

export function guestLimits({ timeout, memory, fuel }: ToolGuestLimits = {}): GuestLimits {
  return {
    timeoutMs: timeout === undefined ? LIMITS.wasm.timeoutMs : Math.ceil(timeout * 1000),
    memoryMiB: memory ?? LIMITS.wasm.memoryMiB,
    fuel: fuel ?? LIMITS.wasm.fuel,
  };
}

/** Runs the program with JSON on standard input. Throws if it does not end well. */
export async function callGuest(
  { name, granted, env, limits }: GuestTool,
  program: GuestProgram,
  input: JsonObject,
  { guests, ...parts }: GuestKit,
): Promise<GuestResult> {
  const { workspace, model, http } = parts;
  const host = { granted, workspace, model, http, refusalOf: guests.refusalOf };
  const result = await guests.run({
    program,
    args: [name],
    env,
    input: Buffer.from(JSON.stringify(input)),
    limits,
    // A guest without access to files is told so.
    mounts: [{ at: MOUNT, files: workspace ?? null, access: granted.filesystem }],
    hostCall: (method, body, notes, signal) => answerHostCall(method, body, { ...host, signal }, notes),
  });
  if (result.exitCode !== 0) throw failed(name, result);
  return result;
}

/** Exactly one JSON object on standard output. Standard error is for people. */
export function readOutput(name: string, { stdout, stderr, denied }: GuestResult): JsonObject {
  try {
    const output = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(stdout));
    if (isJsonObject(output)) return output;
  } catch (error) {
    const reason = error instanceof HotcellError ? error.message : "it is not UTF-8";
    throw invalidOutput(name, reason, stderr, denied);
  }
  throw invalidOutput(name, "it is no object", stderr, denied);
}

const MAX_SAID_CHARS = 2000;

/** What a tool said last is nearest to the reason. */
const lastWords = (stderr: string): string => stderr.trim().slice(-MAX_SAID_CHARS);

function failed(name: string, { exitCode, stderr, denied }: GuestResult): HotcellError {
  const last = lastWords(stderr);
  const said = last === "" ? "It said nothing." : `It said:\n${last}`;
  const details = { exitCode, stderr: last };
  if (denied.length === 0)
    return new HotcellError("EXECUTION_ERROR", `${name} ended with exit code ${exitCode}. ${said}`, details);
  const grants = denied.join(", ");
  return new HotcellError(
    "CAPABILITY_DENIED",
    `${name} ended with exit code ${exitCode}, and was denied ${grants}. To allow it, name it in the manifest's capabilities and in the tool's grant. ${said}`,
    { ...details, denied },
  );
}

function invalidOutput(
  name: string,
  reason: string,
  stderr: string,
  denied: readonly string[],
): HotcellError {
  const message = `The output of ${name} is not one JSON object: ${reason.replace(/\.$/, "")}. Let the tool write one JSON object to standard output, and everything else to standard error.`;
  return new HotcellError("INVALID_OUTPUT", message, { stderr: lastWords(stderr), denied });
}
