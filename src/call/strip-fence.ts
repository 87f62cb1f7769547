/** The content of a Markdown code fence that encloses the whole text, or undefined. */
export function stripFence(text: string): string | undefined {
  const trimmed = text.trim();
  const opening = /^```[\w-]*[ \t]*\r?\n/.exec(trimmed);
  if (!opening || !trimmed.endsWith("\n```")) return undefined;
  return trimmed.slice(opening[0].length, -"\n```".length);
}
