/** A tool's name on wires that allow no dots: OpenAI takes [A-Za-z0-9_-]{1,64}, Anthropic [A-Za-z0-9_-]{1,128}. */
export function wireName(name: string): string {
  return name.replaceAll(".", "_");
}
