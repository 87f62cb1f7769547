/** A value by its key, as AgentFS stores it. */
export interface StoredValue {
  readonly key: string;
  /** JSON. */
  readonly text: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface KeyValueUsage {
  readonly count: number;
  /** Keys and values. */
  readonly bytes: number;
}

/** The place where the values of a session are kept. It checks nothing: `createKeyValues` does. */
export interface KeyValueStore {
  get(key: string): StoredValue | undefined;
  /** All values whose key begins with the prefix, in the order of their keys. */
  list(prefix: string): StoredValue[];
  usage(): KeyValueUsage;
  /** Adds or replaces. The value is durable when this returns. */
  put(value: StoredValue): void;
  /** False if there was none. */
  delete(key: string): boolean;
  replaceAll(values: readonly StoredValue[]): void;
}

export function storedBytes({ key, text }: StoredValue): number {
  return Buffer.byteLength(key) + Buffer.byteLength(text);
}

export const byKey = (a: StoredValue, b: StoredValue): number => (a.key < b.key ? -1 : 1);
