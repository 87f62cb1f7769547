import fs from "node:fs";
import path from "node:path";
import { compileWat } from "../compile-wat.ts";
import { tempDir } from "./temp-cell.ts";

export interface ToolCode {
  readonly wat?: string;
  readonly wasm?: Uint8Array;
  readonly js?: string;
}

/** The folder of a wasm tool, gone when the test ends. */
export async function makeToolFolder(code: ToolCode, manifest: object = {}): Promise<string> {
  const dir = tempDir();
  const entry = code.js === undefined ? "tool.wasm" : "tool.js";
  const given = {
    name: "tested",
    version: "1.0.0",
    description: "A test.",
    entry,
    inputSchema: { type: "object" },
  };
  fs.writeFileSync(path.join(dir, "manifest.json"), JSON.stringify({ ...given, ...manifest }));
  fs.writeFileSync(path.join(dir, entry), code.js ?? code.wasm ?? (await compileWat(code.wat!)));
  return dir;
}

const WASI = `
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
(import "hotcell" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i32)))
(memory (export "memory") 1)
(func $say (param $at i32) (param $length i32)
  (i32.store (i32.const 8) (local.get $at)) (i32.store (i32.const 12) (local.get $length))
  (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16))))`;

/** A command that says \`{}\`, and runs the code first. Data of the module begins at 1024. */
export function command(code: string, data = ""): string {
  const bytes = [...Buffer.from(data)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join("");
  return `(module ${WASI}
    (data (i32.const 512) "{}") (data (i32.const 1024) "${bytes}")
    (func (export "_start") (local $e i32) ${code} (call $say (i32.const 512) (i32.const 2))))`;
}
