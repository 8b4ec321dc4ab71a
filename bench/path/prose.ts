/** So many words has the language; of each answer they are drawn from, as of any text, the second is half as frequent as the first. */
const vocabulary = 5_000;

/** Words as they follow each other in a text: the same ones for the same seed. */
export function prose(seed: number): () => string {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => wordOf(Math.floor(Math.exp(random() * Math.log(vocabulary))));
}

/** Frequent words are short. */
function wordOf(rank: number): string {
  let word = '';
  for (let left = rank; left > 0; left = Math.floor(left / syllables.length))
    word += syllables[left % syllables.length];
  return word;
}

const syllables = ['ta', 'me', 'ri', 'so', 'lu', 'ne', 'ka', 'vi', 'do', 'pe', 'shi', 'an', 'el', 'or', 'us'];
