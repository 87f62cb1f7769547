import { defineTool } from "./define-tool.ts";

/** Answers a name-only call. Not listed: the sidecar set stays at five. */
export const timeNow = defineTool({
  name: "time.now",
  toolset: "sidecar",
  listed: false,
  description: "Tell the present time.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
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
