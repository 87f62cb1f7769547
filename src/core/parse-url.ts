/** Null for a text that is no URL. Once it is compiled, `URL.canParse` of Node 20 takes no URL that has an é in it. */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
