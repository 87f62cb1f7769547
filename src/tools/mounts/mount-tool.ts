/** What all tools on mount paths have in common. */
export const MOUNT_TOOL = {
  toolset: "mounts",
  category: "file",
  naming: "mounts",
  subject: "path",
} as const;

export const LOOKING = { danger: "safe", effect: "read" } as const;
export const CHANGING = { danger: "dangerous", effect: "change", contained: true } as const;

export const MOUNT_PATH = {
  type: "string",
  format: "path",
  description: "A path that begins with a mount, such as @project/src/index.ts",
} as const;

/** It takes null so that null is not read as "absent": that would drop the condition. */
export const SHA256 = {
  type: ["string", "null"],
  pattern: "^[0-9a-fA-F]{64}$",
  description: "Only change the file when its present bytes have this SHA-256 (hex)",
} as const;
