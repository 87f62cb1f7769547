import { defineTool } from "./define-tool.ts";
import { TIME_NOW_OUTPUT } from "./output/output-schemas.ts";

/** Answers a name-only call. Not listed: the sidecar set stays at five. */
export const timeNow = defineTool({
  name: "time.now",
  outputSchema: TIME_NOW_OUTPUT,
  toolset: "sidecar",
  listed: false,
  description: "Return the current time.",
  input: { type: "object", properties: {}, additionalProperties: false },
  category: "info",
  danger: "safe",
  effect: "read",
  needs: ["clock"],
  subject: "none",
  run(_args, { clock }) {
    const now = clock();
    return { iso: now.toISOString(), unix_ms: now.getTime() };
  },
});
