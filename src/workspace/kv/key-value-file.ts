// The values of a session in one file of its directory, which is replaced atomically. There is none while there are no
// values. Whoever opens the file holds the session, so nobody else writes it.
import fs from "node:fs";
import path from "node:path";
import { osErrorCode } from "../../core/errors.ts";
import { explainErrors } from "../fs/os-error.ts";
import { replaceJson } from "../fs/replace-json.ts";
import { byKey, type KeyValueStore, type StoredValue, storedBytes } from "./key-value-store.ts";

const NAME = "kv.json";

interface StoredFile {
  readonly version: 1;
  readonly values: readonly StoredValue[];
}

/** `dir` is the session's directory. */
export function openKeyValueFile(dir: string): KeyValueStore {
  let known: ReadonlyMap<string, StoredValue> | null = null;
  const read = () => {
    known ??= new Map(readKeyValues(dir).map((value) => [value.key, value]));
    return known;
  };
  const replace = (action: string, key: string, values: ReadonlyMap<string, StoredValue>) => {
    explainErrors(action, key, () => writeKeyValues(dir, [...values.values()]));
    known = values;
  };
  return {
    get: (key) => read().get(key),
    list: (prefix) => [...read().values()].filter(({ key }) => key.startsWith(prefix)).sort(byKey),
    usage: () => ({
      count: read().size,
      bytes: [...read().values()].reduce((sum, value) => sum + storedBytes(value), 0),
    }),
    put: (value) => replace("set the key", value.key, new Map(read()).set(value.key, value)),
    delete(key) {
      const values = new Map(read());
      if (!values.delete(key)) return false;
      replace("delete the key", key, values);
      return true;
    },
    replaceAll: (values) => replace("write", NAME, new Map(values.map((value) => [value.key, value]))),
  };
}

export function readKeyValues(dir: string): readonly StoredValue[] {
  try {
    return (JSON.parse(fs.readFileSync(path.join(dir, NAME), "utf8")) as StoredFile).values;
  } catch (error) {
    if (osErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Replaces all values. */
export function writeKeyValues(dir: string, values: readonly StoredValue[]): void {
  const file = path.join(dir, NAME);
  if (values.length > 0) replaceJson(file, { version: 1, values } satisfies StoredFile);
  else if (fs.existsSync(file)) fs.unlinkSync(file);
}

export function hasKeyValues(dir: string): boolean {
  return fs.existsSync(path.join(dir, NAME));
}
