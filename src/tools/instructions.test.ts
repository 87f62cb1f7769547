import { expect, test } from "vitest";
import { STUDIO_STAND_INS } from "../../test/kit/worlds/stand-ins.ts";
import { openTempCell } from "../../test/kit/worlds/temp-cell.ts";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";
import { toolInstructions } from "./instructions.ts";

const MOUNT_TOOLS = BUILTIN_TOOLS.filter(({ toolset }) => toolset === "mounts");

test("P5.4 the instructions hold every tool with its argument schema", () => {
  const [read] = MOUNT_TOOLS.filter((tool) => tool.name === "fs.read");
  expect(toolInstructions([read!])).toContain(
    "fs.read: Read a text file, whole or from startLine to endLine. A long result is cut, with a note. sha256 covers the whole file.\n" +
      'arguments: {"type":"object","properties":{"path":{"type":"string","description":"A path that begins with a mount, such as @project/src/index.ts"},' +
      '"startLine":{"type":"integer","minimum":1,"description":"First line to read (1-based)"},' +
      '"endLine":{"type":"integer","minimum":1,"description":"Last line to read (inclusive)"}},' +
      '"required":["path"],"additionalProperties":false}',
  );
  const text = toolInstructions(STUDIO_STAND_INS);
  for (const { name, description } of STUDIO_STAND_INS) {
    expect(text).toContain(`\n\n${name}: ${description}\narguments: {`);
  }
});

test("the instructions take a cell's own tools, as cell.tools gives them for mcp", async () => {
  const { cell } = await openTempCell();
  const text = toolInstructions(cell.tools("mcp"));
  for (const name of ["read_file", "edit_file", "run_command"]) expect(text).toContain(`\n\n${name}: `);
});
