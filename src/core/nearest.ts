/** The most similar candidates for a misspelt word, best first; none if nothing is similar. */
export function nearest(word: string, candidates: Iterable<string>, max = 3): string[] {
  if (word.length > MAX_WORD_CHARS) return [];
  return [...candidates]
    .map((candidate) => ({
      candidate,
      distance: distanceBetween(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, Math.ceil(candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

const MAX_WORD_CHARS = 128;

/** Levenshtein's distance. */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
