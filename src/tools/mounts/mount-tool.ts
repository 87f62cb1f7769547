/** The common part of all tools with mount paths. */
export const MOUNT_TOOL = {
  toolset: "mounts",
  category: "file",
  naming: "mounts",
  subject: "path",
} as const;

export const READING_TOOL = { danger: "safe", effect: "read" } as const;
export const CHANGING_TOOL = { danger: "dangerous", effect: "change", contained: true } as const;

export const MOUNT_PATH = {
  type: "string",
  format: "path",
  description: "A path that begins with a mount, such as @project/src/index.ts",
} as const;

/** It takes null so that null is not read as "absent": that would drop the condition. */
export const SHA256 = {
  type: ["string", "null"],
  pattern: "^[0-9a-fA-F]{64}$",
  description: "Change the file only if its present bytes have this SHA-256 (hex)",
} as const;
