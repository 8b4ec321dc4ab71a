/** The known word somebody may have meant, if one is close enough. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((candidate) => ({ candidate, far: distance(word, candidate) }));
  ranked.sort((one, other) => one.far - other.far);
  const [best] = ranked;
  return best && best.far <= Math.max(1, Math.floor(word.length / 3) + 1) ? best.candidate : undefined;
}

/** How many letters must be added, removed, replaced or swapped with their neighbour. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const differs = one[i - 1] === other[j - 1] ? 0 : 1;
      const edits = [at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + differs];
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (i > 1 && j > 1 && isSwapped) edits.push(at(before, j - 2) + 1);
      row.push(Math.min(...edits));
    }
    before = last;
    last = row;
  }
  return at(last, other.length);
}

function at(row: readonly number[], i: number): number {
  return row[i] ?? Infinity;
}
