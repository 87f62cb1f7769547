export interface RowLimits {
  /** Entries of the table, and characters of all keys. A full table is cleared. */
  readonly maxTableEntries: number;
  readonly maxSetEntries: number;
}

export interface DfaRows {
  /** Entry `row + column` is the next row. The table may be replaced by a larger one. */
  table(): Int32Array;
  rowOf(key: string): number;
  keyOf(row: number): string;
  /** The row of `key`, which is also stored as the next row of this one. */
  lead(row: number, column: number, key: string): number;
}

/** The rows before it are unused and contain only 0, so row 0 and small numbers lead to 0. */
export const FIRST_ROW = 2;

/** The keys of `fixed` keep the first rows, in this order, when the table is cleared. */
export function createDfaRows(stride: number, limits: RowLimits, fixed: readonly string[]): DfaRows {
  const maxRows = Math.max(FIRST_ROW + fixed.length + 1, Math.floor(limits.maxTableEntries / stride));
  const rows = new Map<string, number>();
  let keys: string[] = [];
  let table = new Int32Array(stride * 16);
  let setEntries = 0;

  function clear(): void {
    rows.clear();
    keys = Array(FIRST_ROW).fill("");
    setEntries = 0;
    table.fill(0);
    for (const key of fixed) if (!rows.has(key)) append(key);
  }

  function append(key: string): number {
    const row = keys.length * stride;
    if (row + stride > table.length) table = grow(table, Math.min(table.length * 2, maxRows * stride));
    keys.push(key);
    rows.set(key, row);
    setEntries += key.length;
    return row;
  }

  function rowOf(key: string): number {
    const known = rows.get(key);
    if (known !== undefined) return known;
    if (keys.length >= maxRows || setEntries + key.length > limits.maxSetEntries) clear();
    return rows.get(key) ?? append(key);
  }

  clear();
  return {
    table: () => table,
    rowOf,
    keyOf: (row) => keys[row / stride]!,
    lead(row, column, key) {
      const from = keys[row / stride];
      const to = rowOf(key);
      // After the table was cleared, the row may belong to another state.
      if (keys[row / stride] === from) table[row + column] = to;
      return to;
    },
  };
}

function grow(table: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(table);
  return larger;
}
