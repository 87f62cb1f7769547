import { HotcellError } from "../core/errors.ts";
import { deepFreeze, type JsonObject } from "../core/json.ts";
import { quote } from "../core/quote.ts";
import type { DangerLevel, Effect, FileLimits, Progress, ToolCategory } from "../core/types.ts";
import type { PathNaming, SubjectKind } from "../policy/tool-names.ts";
import type { WorkspaceFS } from "../workspace/files/workspace-fs.ts";
import type { Commands } from "./commands.ts";

/** Everything a tool may be given; it gets only what it names in `needs`. */
export interface Kit {
  readonly workspace: WorkspaceFS;
  readonly commands: Commands;
  readonly clock: () => Date;
  /** Of the agent that calls. */
  readonly limits: FileLimits;
  /** Says how far a long call is. */
  readonly progress: (seen: Omit<Progress, "kind">) => void;
}

export type Need = keyof Kit;

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly category: ToolCategory;
  readonly danger: DangerLevel;
  readonly effect: Effect;
  readonly toolset: string;
  /** False: it answers when called, but no list shows it. */
  readonly listed: boolean;
  /** Null: the cell's own limit. */
  readonly timeoutMs: number | null;
  /** True: it ends by itself when its time is over or it is called off, and tells what it did until then. */
  readonly keepsTime: boolean;
  /** True: whatever it changes is in the workspace, so that in a session nothing leaves it. */
  readonly contained: boolean;
  readonly needs: readonly Need[];
  readonly naming: PathNaming;
  /** What rules about this tool can be about. */
  readonly subject: SubjectKind;
  /** The paths or command lines in the arguments of a call. */
  subjects(args: JsonObject): readonly string[];
  run(args: JsonObject, kit: Kit, signal: AbortSignal): Promise<JsonObject> | JsonObject;
}

export interface ToolSpec<Args, Needed extends Need>
  extends Omit<
    Tool,
    "listed" | "timeoutMs" | "keepsTime" | "contained" | "needs" | "naming" | "subjects" | "run"
  > {
  readonly listed?: boolean;
  readonly timeoutMs?: number;
  readonly keepsTime?: boolean;
  readonly contained?: boolean;
  readonly needs: readonly Needed[];
  /** Within the project unless told otherwise. */
  readonly naming?: PathNaming;
  /** Without it: the argument `path` or `command`. */
  subjects?(args: Args): readonly string[];
  run(args: Args, kit: Pick<Kit, Needed>, signal: AbortSignal): Promise<JsonObject> | JsonObject;
}

/** `Args` is what `inputSchema` lets through: arguments are validated before `subjects` and `run` see them. */
export function defineTool<Args = JsonObject, Needed extends Need = never>(
  spec: ToolSpec<Args, Needed>,
): Tool {
  refuseUnusableName(spec.name);
  return Object.freeze({
    ...spec,
    inputSchema: deepFreeze(spec.inputSchema),
    listed: spec.listed ?? true,
    timeoutMs: spec.timeoutMs ?? null,
    keepsTime: spec.keepsTime ?? false,
    contained: spec.contained ?? false,
    naming: spec.naming ?? "project",
    subjects: (args: JsonObject) => spec.subjects?.(args as Args) ?? namedSubject(spec.subject, args),
    run: (args: JsonObject, kit: Kit, signal: AbortSignal) =>
      spec.run(args as Args, pick(kit, spec.needs), signal),
  });
}

function namedSubject(kind: SubjectKind, args: JsonObject): string[] {
  const value = kind === "none" ? undefined : args[kind];
  return typeof value === "string" ? [value] : [];
}

// The narrowest of the wires' rules, with dots, which are mapped where a wire has none.
function refuseUnusableName(name: string): void {
  if (/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name)) return;
  const rule = "begin with a letter, and go on with letters, digits, _ - and dots, 64 at most";
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
