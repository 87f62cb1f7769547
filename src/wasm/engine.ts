// The WebAssembly engine of Node, whose types Node's declarations do not have.

export interface WasmGlobal<Value> {
  value: Value;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

export interface WasmInstance {
  /** Without a prototype: a name of the module never finds anything else. */
  readonly exports: Readonly<Record<string, unknown>>;
}

declare const brand: unique symbol;
export interface WasmModule {
  readonly [brand]: true;
}

interface Engine {
  readonly Module: new (code: Uint8Array) => WasmModule;
  readonly Instance: new (code: WasmModule, imports: object) => WasmInstance;
  readonly RuntimeError: new (message: string) => Error;
}

export const engine = (globalThis as unknown as { readonly WebAssembly: Engine }).WebAssembly;
