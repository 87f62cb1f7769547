// An observation as the text that a model reads: what the call gave, without hashes, ids and limits.
import type { JsonObject } from "../core/json.ts";
import type { AnyObservation, Observation } from "../core/types.ts";
import { artifactPath } from "./artifact-files.ts";
import { builtinText } from "./builtin-text.ts";

export interface ObservationImage {
  readonly mime: string;
  readonly base64: string;
}

export function observationText(observation: AnyObservation): string {
  const { repairs, artifact } = observation.meta;
  const parts = [bodyOf(observation), ...repairs.map((repair) => `[${repair}]`), wholeResult(artifact)];
  return parts.filter((text) => text !== "").join("\n");
}

/** Names the artifact if the observation was cut. */
function wholeResult(artifact: string | null): string {
  return artifact === null
    ? ""
    : `[The whole result can be read and searched as the file ${artifactPath(artifact)}]`;
}

function bodyOf(observation: AnyObservation): string {
  if ("success" in observation) return resultText(observation as Observation);
  if ("isError" in observation) return String(observation.output);
  const { meta: _, ...result } = observation;
  return JSON.stringify(result);
}

function resultText({ tool, output, error }: Observation): string {
  const shown = output === null ? "" : outputText(tool, output);
  if (error === null) return shown;
  const failure = `Error ${error.code}: ${error.message}`;
  return shown === "" ? failure : `${failure}\n${shown}`;
}

/** The output of your own tool is JSON, or the text itself if it has nothing else. */
function outputText(tool: string, output: JsonObject): string {
  return builtinText(tool, output) ?? plainText(output, 0);
}

export function plainText(output: JsonObject, indent: number): string {
  const values = Object.values(output);
  return values.length === 1 && typeof values[0] === "string"
    ? values[0]
    : JSON.stringify(output, null, indent);
}

export function isFailure(observation: AnyObservation): boolean {
  if ("success" in observation) return !observation.success;
  return "isError" in observation ? Boolean(observation.isError) : !observation.ok;
}

/** The image that `read_file` gave, if any. */
export function observationImage(observation: AnyObservation): ObservationImage | null {
  if (!("success" in observation) || observation.output === null) return null;
  const { mime, image } = observation.output as JsonObject;
  return typeof mime === "string" && typeof image === "string" ? { mime, base64: image } : null;
}
