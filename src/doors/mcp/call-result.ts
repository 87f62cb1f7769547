// An observation as the result of MCP's `tools/call`. Some clients give their model only the text, others only the
// structured content. The text has what a model works with, without hashes, times and most of `meta`.
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isFailure, observationImage, observationText } from "../../call/observation-text.ts";
import { HotcellError } from "../../core/errors.ts";
import type { AnyObservation } from "../../core/types.ts";

export function toCallResult(observation: AnyObservation): CallToolResult {
  const image = observationImage(observation);
  const { weakened } = observation.meta;
  // A user who sees only the text has no other sign of it.
  const warning = weakened === undefined ? "" : `\n[${weakened}]`;
  return {
    content: [
      { type: "text", text: observationText(observation) + warning },
      ...(image === null ? [] : [{ type: "image" as const, data: image.base64, mimeType: image.mime }]),
    ],
    structuredContent: { ...observation },
    ...(isFailure(observation) && { isError: true }),
  };
}

/** The result of a call for which the cell could not be opened. The log has no record of it. */
export function toFailedResult(error: unknown): CallToolResult {
  if (!(error instanceof HotcellError)) throw error;
  const { code, message } = error;
  return {
    content: [{ type: "text", text: `Error ${code}: ${message}` }],
    structuredContent: { error: { code, message } },
    isError: true,
  };
}
