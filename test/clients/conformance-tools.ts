// The fixture tools of the conformance suite, as far as the pipeline can express them.
import { setTimeout } from "node:timers/promises";
import { LIMITS } from "../../src/core/limits.ts";
import { defineTool } from "../../src/tools/define-tool.ts";

const NONE = { type: "object", properties: {}, additionalProperties: false } as const;
const common = { input: NONE, danger: "safe", effect: "read" } as const;

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const FIXTURES = [
  defineTool({
    ...common,
    name: "test_simple_text",
    description: "Returns a text.",
    run: () => ({ text: "This is a simple text response for testing." }),
  }),
  defineTool({
    ...common,
    name: "test_image_content",
    description: "Returns an image.",
    run: () => ({ mime: "image/png", image: PIXEL }),
  }),
  defineTool({
    ...common,
    name: "test_error_handling",
    description: "Fails.",
    run: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  defineTool({
    ...common,
    name: "test_input_required_result_list_roots",
    description: "Uses files, so the client is asked for its roots.",
    needs: ["workspace"],
    run: () => ({ text: "ok" }),
  }),
  // These need approval: an elicitation.
  ...[
    "test_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
  ].map((name) =>
    defineTool({
      ...common,
      name,
      description: "Needs approval.",
      input: { type: "object", properties: { message: { type: "string" } } },
      danger: "dangerous",
      run: () => ({ text: "state-ok" }),
    }),
  ),
  defineTool({
    ...common,
    name: "test_tool_with_progress",
    description: "Reports progress three times.",
    needs: ["progress"],
    async run(_args, { progress }) {
      for (const files of [1, 50, 100]) {
        progress({ files, matches: 0 });
        await setTimeout(2 * LIMITS.mcpProgressEveryMs);
      }
      return { text: "done" };
    },
  }),
];
