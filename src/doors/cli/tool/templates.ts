// The files of a new tool, by language. Each tool writes its text in capitals.

type Files = Readonly<Record<string, string>>;

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

function common(name: string, entry: "tool.wasm" | "tool.js"): Files {
  const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  return {
    "manifest.json": json({
      $schema: "https://unpkg.com/hotcell/dist/tools/wasm/tool-manifest.schema.json",
      name,
      version: "0.1.0",
      description: "Write a text in capitals.",
      entry,
      inputSchema: text,
      outputSchema: text,
      capabilities: {},
      limits: { timeout: 5, memory: 32 },
    }),
    "cases/hello.json": json({ input: { text: "hello" }, output: { text: "HELLO" } }),
  };
}

const JS = `export default ({ text }, host) => {
  host.call("log", { message: "called" });
  return { text: text.toUpperCase() };
};
`;

const C = `// Reads one JSON object from standard input, and writes one to standard output.
#include <ctype.h>
#include <hotcell.h>

int main(void) {
  char *text = json_get_text(hotcell_input(), "text");
  for (char *at = text; *at; at++) *at = (char)toupper((unsigned char)*at);
  fputs("{\\"text\\":", stdout);
  json_write(stdout, text);
  fputs("}", stdout);
  return 0;
}
`;

const AS = `// Reads one JSON object from standard input, and writes one to standard output, by WASI's own functions.
// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "fd_read")
declare function fd_read(fd: i32, list: usize, count: i32, result: usize): i32;
// @ts-ignore: decorator
@external("wasi_snapshot_preview1", "fd_write")
declare function fd_write(fd: i32, list: usize, count: i32, result: usize): i32;

function transfer(isRead: bool, at: usize, length: i32): i32 {
  const list = memory.data(8);
  const result = memory.data(4);
  store<u32>(list, <u32>at);
  store<u32>(list + 4, length);
  if (isRead) fd_read(0, list, 1, result);
  else fd_write(1, list, 1, result);
  return load<i32>(result);
}

function readInput(): string {
  const buffer = new Uint8Array(1 << 20);
  let length = 0;
  for (let count = 1; count > 0 && length < buffer.length; length += count)
    count = transfer(true, buffer.dataStart + length, buffer.length - length);
  return String.UTF8.decodeUnsafe(buffer.dataStart, length);
}

function writeOutput(text: string): void {
  const bytes = String.UTF8.encode(text);
  for (let done = 0; done < bytes.byteLength; )
    done += transfer(false, changetype<usize>(bytes) + done, bytes.byteLength - done);
}

export function _start(): void {
  const input = readInput();
  const parts = new Array<string>();
  let at = input.indexOf('"', input.indexOf('"text"') + 6) + 1;
  for (; at < input.length && input.charAt(at) != '"'; at++) {
    // An escape stays as it is.
    if (input.charAt(at) == "\\\\") parts.push(input.charAt(at++) + input.charAt(at));
    else parts.push(input.charAt(at).toUpperCase());
  }
  writeOutput('{"text":"' + parts.join("") + '"}');
}
`;

const AS_PACKAGE = json({
  private: true,
  devDependencies: { assemblyscript: "0.28.20" },
});

export const TEMPLATES: ReadonlyMap<string, (name: string) => Files> = new Map<
  string,
  (name: string) => Files
>([
  ["js", (name) => ({ ...common(name, "tool.js"), "tool.js": JS })],
  ["c", (name) => ({ ...common(name, "tool.wasm"), "tool.c": C })],
  ["as", (name) => ({ ...common(name, "tool.wasm"), "tool.ts": AS, "package.json": AS_PACKAGE })],
]);
