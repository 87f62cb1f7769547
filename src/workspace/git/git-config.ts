// Values of a git configuration file. Includes are not followed, and the text is not trusted.

/** The last value of a key, which is the one that git uses; null if there is none. Subsections do not count. */
export function readConfigValue(text: string, section: string, key: string): string | null {
  let value: string | null = null;
  let isInSection = false;
  for (const line of joinContinued(text)) {
    const [, heading, rest] = /^\s*\[([^\]]*)\](.*)$/.exec(line) ?? [];
    if (heading !== undefined) isInSection = heading.trim().toLowerCase() === section;
    const [, found, written] = /^\s*([a-z][a-z0-9-]*)\s*=(.*)$/i.exec(rest ?? line) ?? [];
    if (isInSection && found?.toLowerCase() === key) value = unquote(written!);
  }
  return value;
}

/** A backslash at the end of a line continues it. */
function joinContinued(text: string): string[] {
  return text
    .replace(/\r\n/g, "\n")
    .replace(/((?:^|[^\\])(?:\\\\)*)\\\n/g, "$1")
    .split("\n");
}

/** Removes quotes, escapes and a comment. */
function unquote(text: string): string {
  const parts = text.matchAll(/"((?:[^"\\]|\\.)*)"|\\(.)|([#;].*)|([^"\\#;]+)/g);
  let value = "";
  for (const [, quoted, escaped, comment, plain] of parts) {
    if (comment !== undefined) break;
    value += quoted?.replace(/\\(.)/g, "$1") ?? escaped ?? plain ?? "";
  }
  return value.trim();
}
