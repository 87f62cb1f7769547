// What the model is told of a call's result.
import { isFailure, observationImage, observationText } from "../call/observation-text.ts";
import type { AnyObservation } from "../core/types.ts";
import type { ModelCall, ToolResultMessage } from "../models/model.ts";

export function resultOf(
  { id, name }: ModelCall,
  observation: AnyObservation,
  warning: string,
): ToolResultMessage {
  const content = observationText(observation);
  const image = observationImage(observation);
  return {
    role: "tool",
    callId: id,
    name,
    content: warning === "" ? content : `${content}\n\n${warning}`,
    isError: isFailure(observation),
    ...(image !== null && { images: [image] }),
  };
}

export function failedResult(
  { id, name }: Pick<ModelCall, "id" | "name">,
  content: string,
): ToolResultMessage {
  return { role: "tool", callId: id, name, content, isError: true };
}
