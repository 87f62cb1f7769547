import { expect, test } from "vitest";
import { BUILTIN_TOOLS } from "../../src/tools/builtin-tools.ts";
import { readDocument, tableOf } from "../kit/worlds/document.ts";
import { openTempCell } from "../kit/worlds/temp-cell.ts";

const quotedIn = (text = ""): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);

test("the table of docs/tools.md has every toolset, with the tools that a cell with it lists", async () => {
  const documented = tableOf(readDocument("docs/tools.md"), "toolset").map(([toolset, tools]) => [
    quotedIn(toolset)[0],
    // After the semicolon: tools that can be called but are not listed.
    quotedIn(tools?.split(";")[0]).sort(),
  ]);
  const toolsets = [...new Set(BUILTIN_TOOLS.map(({ toolset }) => toolset))];
  const listed = toolsets.map(async (toolset) => {
    const { cell } = await openTempCell({ toolsets: [toolset] });
    const names = cell.tools("mcp").map(({ name }) => name);
    return [toolset, names.sort()];
  });
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(await Promise.all(listed)));
});
