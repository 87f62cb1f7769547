import { formatKey } from "../config/check-json-text.ts";
import { findFault } from "../config/find-fault.ts";
import type { Schema } from "../config/schema.ts";
import { HotcellError } from "../core/errors.ts";
import { deepFreeze, isJsonObject, type JsonObject } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { quote } from "../core/quote.ts";
import type { DangerLevel, Effect, Progress, ToolCategory, ToolLimits } from "../core/types.ts";
import type { ModelGateway } from "../models/gateway.ts";
import type { HttpClient } from "../net/http-client.ts";
import type { WebSearch } from "../net/search/web-search.ts";
import { NETWORK, type PathNaming, type SubjectKind } from "../policy/tool-names.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import type { KeyValues } from "../workspace/kv/key-values.ts";
import type { Commands } from "./commands.ts";
import {
  isStandardSchema,
  jsonSchemaOf,
  parseStandard,
  type StandardSchema,
} from "./input/standard-schema.ts";
import type { ToolArguments, ToolInput } from "./input/tool-arguments.ts";
import type { SessionKit } from "./session/session-kit.ts";
import type { Guests } from "./wasm/guests.ts";

/** All capabilities. A tool gets only those that it names in `needs`. */
export interface Kit {
  readonly workspace: WorkspaceFS;
  readonly commands: Commands;
  /** WebAssembly modules, in processes of their own. */
  readonly guests: Guests;
  /** Requests to public servers. */
  readonly http: HttpClient;
  readonly search: WebSearch;
  /** One request to the cell's model; only for tools that `modelAccess` names. */
  readonly model: ModelGateway;
  readonly clock: () => Date;
  /** Of the agent that calls. */
  readonly limits: ToolLimits;
  /** The session as a whole. A dangerous tool with it asks before each call, unless a rule allows the call. */
  readonly session: SessionKit;
  /** The values of the session by key. */
  readonly kv: KeyValues;
  /** Reports the progress of a long call. */
  readonly progress: (seen: Omit<Progress, "kind">) => void;
}

export type Need = keyof Kit;

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The schema of the result of `run`; null if the tool has none. */
  readonly outputSchema: JsonObject | null;
  readonly category: ToolCategory;
  readonly danger: DangerLevel;
  readonly effect: Effect;
  readonly toolset: string;
  /** False: it can be called, but no list shows it. */
  readonly listed: boolean;
  /** Null: the cell's own limit. */
  readonly timeoutMs: number | null;
  /** True: on timeout or cancellation the tool ends itself and returns a partial result. */
  readonly keepsTime: boolean;
  /** True: it changes only the workspace, so in a session all its effects stay in the session. */
  readonly contained: boolean;
  readonly needs: readonly Need[];
  readonly naming: PathNaming;
  /** The part of a call that rules match. */
  readonly subject: SubjectKind;
  /** The paths or command lines in the arguments of a call. */
  subjects(args: JsonObject): readonly string[];
  /** Throws INVALID_ARGUMENTS for arguments that a Standard Schema refuses; null if `inputSchema` says all. */
  readonly checksInput: ((args: JsonObject) => void) | null;
  /** Of a tool that writes one file: its new text, for the person who is asked. `before` is null for a new file. */
  preview?(args: JsonObject, before: string | null): string;
  /** Of a tool that works on the session: what it is going to do, for the person who is asked. A yes holds for this version. */
  previewSession?(args: JsonObject, session: SessionKit, signal: AbortSignal): Promise<SessionPreview>;
  /** True: it only adds something, and changes and removes nothing. */
  readonly isAdditive?: true;
  /** Of a wasm tool: whether its operator granted it the model, and any host. */
  readonly wasm?: { readonly model: boolean; readonly anyHost: boolean };
  run(args: JsonObject, kit: Kit, signal: AbortSignal): Promise<JsonObject> | JsonObject;
}

interface SessionPreview {
  readonly text: string;
  readonly version: string;
}

/** The argument of `defineTool`: `name`, `description`, `input` and `run`; everything else has a default. */
export interface ToolSpec<Input extends ToolInput, Needed extends Need, Args = ToolArguments<Input>> {
  /** A letter, then letters, digits, `_`, `-` and dots, at most 64 characters. */
  readonly name: string;
  /** Describes the purpose of the tool to the model. */
  readonly description: string;
  /** A JSON Schema of type object, or a Standard Schema (zod, valibot and others). Arguments that do not fit are refused. */
  readonly input: Input;
  /**
   * The JSON Schema that models get, if `input` is a Standard Schema.
   * @default that of `input`; required if its library has none
   */
  readonly inputSchema?: JsonObject;
  /** A JSON Schema of type object for the result of `run`. MCP clients get it. @default none */
  readonly outputSchema?: JsonObject;
  /** The capabilities that `run` gets. @default [] */
  readonly needs?: readonly Needed[];
  /** Whether trust level `guided` asks before a call. @default "dangerous" */
  readonly danger?: DangerLevel;
  /** `read`: calls run in parallel, and may be repeated. `session`: for tools that need `session`. @default "change" */
  readonly effect?: Effect;
  /** The argument that rules match: `path` or `command`, or none. @default "none" */
  readonly subject?: SubjectKind;
  /** The paths or command lines of a call, if they are not in the argument that `subject` names. */
  subjects?(args: Args): readonly string[];
  /** Of a tool that writes the one file in `path`: its new text, for the person who is asked. `before` is null for a new file. */
  preview?(args: Args, before: string | null): string;
  /** @default "info" */
  readonly category?: ToolCategory;
  /** @default "own" */
  readonly toolset?: string;
  /** False: it can be called, but no list shows it. @default true */
  readonly listed?: boolean;
  /** @default the time limit of the cell */
  readonly timeoutMs?: number;
  /** True: on timeout or cancellation the tool ends itself and returns a partial result. @default false */
  readonly keepsTime?: boolean;
  /** True: it changes nothing but the workspace, so that in a session `guided` need not ask. @default false */
  readonly contained?: boolean;
  /** @default "project" */
  readonly naming?: PathNaming;
  run(args: Args, kit: Pick<Kit, Needed>, signal: AbortSignal): Promise<JsonObject> | JsonObject;
}

/**
 * Defines a tool of your own. Throws CONFIG_INVALID if the definition is not complete.
 * @example
 * defineTool({
 *   name: "add",
 *   description: "Add two numbers.",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   run: ({ a, b }) => ({ sum: a + b }),
 * });
 */
export function defineTool<
  const Input extends ToolInput,
  Needed extends Need = never,
  Args = ToolArguments<Input>,
>(spec: ToolSpec<Input, Needed, Args>): Tool {
  checkSpec(spec);
  const { name, description, needs = [], subject = "none" } = spec;
  const standard = isStandardSchema(spec.input) ? spec.input : null;
  const inputSchema = inputSchemaOf(spec, standard);
  refuseMissingSubject(spec, inputSchema);
  const parse = (args: JsonObject) =>
    (standard === null ? args : parseStandard(name, standard, args)) as Args;
  return Object.freeze({
    name,
    description,
    inputSchema: deepFreeze(inputSchema),
    outputSchema: spec.outputSchema === undefined ? null : deepFreeze(spec.outputSchema),
    category: spec.category ?? "info",
    danger: spec.danger ?? "dangerous",
    effect: spec.effect ?? "change",
    toolset: spec.toolset ?? "own",
    ...(spec.preview && {
      preview: (args: JsonObject, before: string | null) => spec.preview!(parse(args), before),
    }),
    listed: spec.listed ?? true,
    timeoutMs: spec.timeoutMs ?? null,
    keepsTime: spec.keepsTime ?? false,
    contained: spec.contained ?? false,
    needs,
    naming: spec.naming ?? "project",
    subject,
    checksInput: standard === null ? null : (args: JsonObject) => void parse(args),
    subjects: (args: JsonObject) => spec.subjects?.(parse(args)) ?? namedSubject(subject, args),
    run: (args: JsonObject, kit: Kit, signal: AbortSignal) => spec.run(parse(args), pick(kit, needs), signal),
  });
}

type AnySpec = ToolSpec<ToolInput, Need, never>;

/** Each value once: the compiler ensures that the list is complete. */
const oneOf = <Value extends string>(values: Readonly<Record<Value, true>>): Schema => ({
  type: "string",
  enum: Object.keys(values),
});

const ANY: Schema = {};
const TEXT: Schema = { type: "string", minLength: 1 };
const BOOLEAN: Schema = { type: "boolean" };
const NEED = oneOf<Need>({
  workspace: true,
  commands: true,
  guests: true,
  http: true,
  search: true,
  model: true,
  clock: true,
  limits: true,
  session: true,
  kv: true,
  progress: true,
});

const SPEC: Readonly<Record<keyof AnySpec, Schema>> = {
  name: TEXT,
  description: TEXT,
  input: ANY,
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  needs: { type: "array", items: NEED },
  danger: oneOf<DangerLevel>({ safe: true, dangerous: true }),
  effect: oneOf<Effect>({ read: true, change: true, session: true }),
  subject: oneOf<SubjectKind>({ path: true, command: true, host: true, none: true }),
  subjects: ANY,
  preview: ANY,
  category: oneOf<ToolCategory>({ file: true, exec: true, search: true, mcp: true, info: true }),
  toolset: TEXT,
  listed: BOOLEAN,
  timeoutMs: { type: "integer", minimum: 1, maximum: LIMITS.maxTimerMs },
  keepsTime: BOOLEAN,
  contained: BOOLEAN,
  naming: oneOf<PathNaming>({ project: true, mounts: true, storage: true }),
  run: ANY,
};

/** A caller in JavaScript may omit or misspell a property or its value. */
function checkSpec(spec: AnySpec): void {
  if (!isJsonObject(spec)) throw incomplete(spec, "it is not an object");
  const { name, description, input, run, outputSchema } = spec;
  if (typeof name !== "string") throw incomplete(name, "it has no name");
  refuseUnusableName(name);
  if (typeof description !== "string" || description === "") throw incomplete(name, "it has no description");
  if (!isJsonObject(input) && !isStandardSchema(input))
    throw incomplete(name, "it has no input. Give a JSON Schema of type object, or a Standard Schema");
  if (typeof run !== "function") throw incomplete(name, "it has no function run");
  const fault = findFault(spec, { type: "object", properties: SPEC });
  if (fault !== null) throw incomplete(name, `${formatKey(fault.path)} ${fault.problem}`);
  for (const key of ["subjects", "preview"] as const)
    if (spec[key] !== undefined && typeof spec[key] !== "function")
      throw incomplete(name, `${key} is ${quote(spec[key])}; allowed is a function`);
  if (outputSchema !== undefined && outputSchema.type !== "object")
    throw incomplete(name, "its outputSchema is no JSON Schema of type object");
}

function inputSchemaOf({ name, input, inputSchema }: AnySpec, standard: StandardSchema | null): JsonObject {
  const schema =
    inputSchema ?? (standard === null ? (input as JsonObject) : standardInputSchema(name, standard));
  if (schema === null)
    throw incomplete(name, `the library of its input makes no JSON Schema. ${adviceOn(standard)}`);
  if (schema.type === "object") return schema;
  throw incomplete(name, `the type of its input is ${quote(schema.type)}; allowed is "object"`);
}

/** A library may refuse to represent a part of the schema, such as a date. */
function standardInputSchema(name: string, standard: StandardSchema): JsonObject | null {
  try {
    return jsonSchemaOf(standard);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw incomplete(name, `its input has no JSON Schema (${why}). Give inputSchema too`);
  }
}

/** Without it no rule and no protected path would apply to the calls. */
function refuseMissingSubject(
  { name, subject = "none", subjects }: AnySpec,
  { properties }: JsonObject,
): void {
  if (subject === "none" || subjects !== undefined || !isJsonObject(properties)) return;
  if (Object.hasOwn(properties, subject)) return;
  const has = `its subject is ${quote(subject)}, but its input has no ${quote(subject)}`;
  throw incomplete(name, `${has}. Give the argument that name, or define subjects`);
}

function adviceOn(standard: StandardSchema | null): string {
  const isValibot = standard?.["~standard"].vendor === "valibot";
  const wrap = "Wrap the input in toStandardJsonSchema of the package @valibot/to-json-schema, or give";
  return `${isValibot ? wrap : "Give"} inputSchema too`;
}

function incomplete(name: unknown, problem: string): HotcellError {
  return new HotcellError("CONFIG_INVALID", `Could not define the tool ${quote(name)}: ${problem}.`);
}

function namedSubject(kind: SubjectKind, args: JsonObject): string[] {
  const value = kind === "none" ? undefined : args[kind];
  return typeof value === "string" ? [value] : [];
}

// The narrowest of the wires' rules, with dots, which are mapped where a wire has none.
function refuseUnusableName(name: string): void {
  if (name === NETWORK)
    throw new HotcellError(
      "CONFIG_INVALID",
      `Could not define the tool ${quote(name)}: rules use this name for the hosts of commands. Choose another.`,
    );
  if (/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name)) return;
  const rule = "begin with a letter, followed by letters, digits, _ - and dots, at most 64 characters";
  throw new HotcellError(
    "CONFIG_INVALID",
    `Could not define the tool ${quote(name)}: its name must ${rule}.`,
  );
}

function pick<Needed extends Need>(kit: Kit, needs: readonly Needed[]): Pick<Kit, Needed> {
  const picked: Partial<Record<Need, unknown>> = {};
  for (const need of needs) picked[need] = kit[need];
  return picked as Pick<Kit, Needed>;
}
