import { defineTool } from "../../../src/tools/define-tool.ts";

/** A tool that asks at the trust level `guided`, and keeps the arguments that it ran with. */
export function openProbe() {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "probe",
    description: "Asks first.",
    input: { type: "object" },
    run(args) {
      ran.push(args);
      return {};
    },
  });
  return { ran, tool };
}
