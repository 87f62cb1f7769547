import { defineTool } from "../define-tool.ts";
import { LIST_DIRECTORY, type ListDirectoryArgs, listEntries } from "../sidecar/list-directory.ts";
import { fittingItems } from "./fit-items.ts";

export const codingListDirectory = defineTool({
  ...LIST_DIRECTORY,
  toolset: "coding",
  needs: ["workspace", "limits"],
  run: (args: ListDirectoryArgs, { workspace, limits: { observationBytes } }, signal) =>
    listEntries(args, workspace, signal, (entries) => fittingItems(entries, observationBytes)),
});
