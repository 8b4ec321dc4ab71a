// A streamed answer through the hold-back with all guards that ship, beside one pass of the same patterns over the whole text.
import { RE2JS } from 're2js';
import { guardOf } from '../../src/guards/guard-of.ts';
import { GuardSettings } from '../../src/guards/guard-settings.ts';
import { HeldText } from '../../src/guards/held-text.ts';
import { piiCategories, piiSought } from '../../src/guards/pii.ts';
import { complianceCategories, safetyCategories, wordLists } from '../../src/guards/word-lists.ts';
import { wordPattern } from '../../src/guards/word-pattern.ts';
import { harmlessAnswers, personalValues } from '../../test/guarded.ts';

const rounds = 9;
const length = 20_000;
const personal = personalValues(40);

export function guardRows(): void {
  const settings = ['pii', 'safety', 'compliance'].map((guard) => GuardSettings.parse({ guard }));
  const guard = guardOf(settings, 'output');
  const patterns = shipped().map((pattern) => RE2JS.compile(RE2JS.translateRegExp(pattern)));
  const [short, long] = [piecesOf(length), piecesOf(4 * length)];
  const streamed = (pieces: readonly string[]): void => {
    const held = new HeldText(guard);
    for (const piece of pieces) held.take(piece);
    held.end();
  };
  const passed = (pieces: readonly string[]): void => {
    const text = pieces.join('');
    for (const pattern of patterns) {
      const matcher = pattern.matcher(text);
      while (matcher.find());
    }
  };
  // By turns, so that a busy moment of the machine meets all of them.
  const times = { streamed: [] as number[], passed: [] as number[], long: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    times.passed.push(timed(() => passed(short)));
    times.streamed.push(timed(() => streamed(short)));
    times.long.push(timed(() => streamed(long)));
  }
  const [one, all, more] = [median(times.passed), median(times.streamed), median(times.long)];
  const each = ((all * 1_000) / length).toFixed(2);
  console.log(`Guards: ${patterns.length} patterns, an answer of ${length} characters word by word`);
  console.log(`  ${each} µs a character, ${(all / one).toFixed(2)} of one pass over the whole (at most 3)`);
  console.log(`  four times the text: ${(more / all).toFixed(2)} times as long (4 is linear)`);
}

function shipped(): readonly string[] {
  const words = [...safetyCategories, ...complianceCategories].map(
    (category) => wordPattern(wordLists[category]).pattern,
  );
  return [...piiSought(piiCategories, 'redact').map(({ pattern }) => pattern), ...words];
}

/** An answer as a model streams it, with something to find now and then. */
function piecesOf(characters: number): readonly string[] {
  const pieces: string[] = [];
  let size = 0;
  for (const [i, answer] of harmlessAnswers(2_000).entries()) {
    for (const piece of [...answer, ` ${personal[i % personal.length]?.value ?? ''}.`]) {
      if (size > characters) return pieces;
      pieces.push(piece);
      size += piece.length;
    }
  }
  return pieces;
}

function timed(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
