/** A piece of a text beside another: in both, or in one of them. */
export interface DiffPiece {
  readonly text: string;
  readonly isOwn: boolean;
}

/** Texts of more words than this are shown as changed whole: comparing them costs the product of their lengths. */
const mostWords = 1_200;

/** Both texts in pieces: what stands in one alone is marked there. */
export function wordDiff(
  before: string,
  after: string,
): readonly [readonly DiffPiece[], readonly DiffPiece[]] {
  const [old, fresh] = [wordsOf(before), wordsOf(after)];
  if (old.length > mostWords || fresh.length > mostWords)
    return [[{ text: before, isOwn: true }], [{ text: after, isOwn: true }]];
  const common = longestCommon(old, fresh);
  return [marked(old, common.left), marked(fresh, common.right)];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\s+|[\p{L}\p{N}_-]+|[^\s\p{L}\p{N}_-]/gu) ?? [];
}

function marked(words: readonly string[], common: ReadonlySet<number>): readonly DiffPiece[] {
  const pieces: { text: string; isOwn: boolean }[] = [];
  words.forEach((text, i) => {
    const isOwn = !common.has(i);
    const last = pieces.at(-1);
    if (last?.isOwn === isOwn) last.text += text;
    else pieces.push({ text, isOwn });
  });
  return pieces;
}

/** The places of the longest run of words that both have in the same order. */
function longestCommon(
  one: readonly string[],
  other: readonly string[],
): { readonly left: ReadonlySet<number>; readonly right: ReadonlySet<number> } {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const left = new Set<number>();
  const right = new Set<number>();
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (one[i] === other[j]) {
      left.add(i);
      right.add(j);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return { left, right };
}
