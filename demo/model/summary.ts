import { sentencesOf, titleOf, type Sentence } from './sentences.ts';
import { stems } from './words.ts';

export interface Summary {
  readonly title: string;
  readonly sections: readonly string[];
  /** The sentences that say most, word for word, in the order they stand. */
  readonly quotes: readonly Sentence[];
  /** How many sentences there were to choose from. */
  readonly of: number;
}

const usual = 10;

/**
 * A summary in a document's own words: nothing is rephrased, so nothing can be wrong. A short document is quoted whole.
 * `focus` are stems the reader asked about.
 */
export function summarise(text: string, focus: readonly string[] = [], most = usual): Summary {
  const sentences = sentencesOf(text);
  const quotes = sentences.length <= most + 2 ? sentences : choose(sentences, focus, most);
  const sections = [...new Set(sentences.map(({ section }) => section).filter((section) => section !== ''))];
  return { title: titleOf(text), sections, quotes, of: sentences.length };
}

/** The sentences about something, best first; none if no sentence has any of the words. */
export function sentencesAbout(text: string, focus: readonly string[], count: number): Sentence[] {
  return sentencesOf(text)
    .map((sentence) => ({ sentence, hits: hitsOf(sentence, focus) }))
    .filter(({ hits }) => hits > 0)
    .sort((one, other) => other.hits - one.hits)
    .slice(0, count)
    .map(({ sentence }) => sentence);
}

/** Sections share the places among them, so that a long one cannot take them all. */
function choose(sentences: readonly Sentence[], focus: readonly string[], most: number): Sentence[] {
  const weights = weightsOf(sentences);
  const rated = sentences
    .map((sentence, i) => ({
      sentence,
      i,
      rating: ratingOf(sentence, i, weights) + 4 * hitsOf(sentence, focus),
    }))
    .sort((one, other) => other.rating - one.rating || one.i - other.i);
  const perSection = new Map<string, number>();
  const chosen: typeof rated = [];
  for (const limit of [1, 2, most]) {
    for (const candidate of rated) {
      const { section } = candidate.sentence;
      const count = perSection.get(section) ?? 0;
      if (chosen.length === most || count >= limit || chosen.includes(candidate)) continue;
      perSection.set(section, count + 1);
      chosen.push(candidate);
    }
  }
  return chosen.sort((one, other) => one.i - other.i).map(({ sentence }) => sentence);
}

/** What the document speaks about is what it says again and again, but for what it says in every sentence. */
function weightsOf(sentences: readonly Sentence[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of sentences)
    for (const word of new Set(stems(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const everywhere = Math.max(4, sentences.length / 3);
  return new Map([...counts].map(([word, count]) => [word, count > everywhere ? 0 : Math.log2(1 + count)]));
}

function ratingOf({ text, place }: Sentence, i: number, weights: ReadonlyMap<string, number>): number {
  const words = stems(text);
  if (words.length < 3 || text.length > 500) return -10;
  const weight = words.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) / Math.sqrt(words.length);
  const isOpening = i === 0 ? 100 : place === 0 ? 2 : 0;
  const isExact = /\d|\p{Lu}{2}|\p{Ll}\p{Lu}/u.test(text) ? 1 : 0;
  return weight + isOpening + isExact;
}

function hitsOf({ text }: Sentence, focus: readonly string[]): number {
  const found = new Set(stems(text));
  return focus.filter((word) => found.has(word)).length;
}
