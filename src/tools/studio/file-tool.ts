/** The common part of this toolset's file tools: paths in the project, or in the storage beside it. */
export const FILE_TOOL = {
  toolset: "studio",
  category: "file",
  naming: "storage",
  needs: ["workspace"],
  subject: "path",
} as const;

export const STUDIO_PATH = {
  type: "string",
  format: "path",
  description: "In the project: relative or absolute. In its central storage: @storage/… or absolute",
} as const;
