/** One violation of a schema, in ajv's format. */
export interface SchemaProblem {
  /** JSON pointers, into the arguments and into the schema. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** A compiled schema. `errors` belongs to the last check. */
export interface SchemaCheck {
  (value: unknown): unknown;
  errors?: readonly SchemaProblem[] | null;
}

/** The keys of a JSON pointer. */
export function pointerKeys(pointer: string): string[] {
  const keys = pointer.split("/").slice(1);
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}
