import { expect, test } from "vitest";
import { MOUNT_STAND_INS, STUDIO_STAND_INS } from "../../test/kit/stand-ins.ts";
import { toolInstructions } from "./instructions.ts";

test("P5.4 the instructions hold every tool with its argument schema", () => {
  const [read] = MOUNT_STAND_INS.filter((tool) => tool.name === "fs.read");
  expect(toolInstructions([read!])).toContain(
    'fs.read: Stands in for fs.read.\narguments: {"type":"object","properties":{"path":{"type":"string"},' +
      '"startLine":{"type":"integer","minimum":1},"endLine":{"type":"integer","minimum":1}},' +
      '"required":["path"],"additionalProperties":false}',
  );
  const text = toolInstructions(STUDIO_STAND_INS);
  for (const { name, description } of STUDIO_STAND_INS) {
    expect(text).toContain(`\n\n${name}: ${description}\narguments: {`);
  }
});
