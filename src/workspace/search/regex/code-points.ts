/** Code points as ranges, both ends included, in order, with gaps between them. */
export type CodePoints = readonly (readonly [first: number, last: number])[];

export const MAX_CODE_POINT = 0x10ffff;

export const ANY: CodePoints = [[0, MAX_CODE_POINT]];
export const DIGIT: CodePoints = [[0x30, 0x39]];
export const WORD: CodePoints = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
export const SPACE: CodePoints = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

export function unite(ranges: CodePoints): CodePoints {
  const united: [number, number][] = [];
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = united.at(-1);
    if (previous === undefined || first > previous[1] + 1) united.push([first, last]);
    else previous[1] = Math.max(previous[1], last);
  }
  return united;
}

export function complement(points: CodePoints): CodePoints {
  const others: [number, number][] = [];
  let from = 0;
  for (const [first, last] of points) {
    if (first > from) others.push([from, first - 1]);
    from = last + 1;
  }
  if (from <= MAX_CODE_POINT) others.push([from, MAX_CODE_POINT]);
  return others;
}

export function countOf(points: CodePoints): number {
  return points.reduce((count, [first, last]) => count + last - first + 1, 0);
}

/** Without the surrogates, which no UTF-8 text has. */
export function withoutSurrogates(points: CodePoints): CodePoints {
  return points.flatMap(([first, last]) => {
    const below: [number, number] = [first, Math.min(last, 0xd7ff)];
    const above: [number, number] = [Math.max(first, 0xe000), last];
    return [below, above].filter(([from, to]) => from <= to);
  });
}
