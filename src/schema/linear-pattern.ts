import { RE2JS } from 're2js';
import { spend } from './work.ts';

const longestPattern = 1_000;
const largestProgram = 5_000;
/** Steps of the automaton to a unit of work. */
const stepsPerUnit = 4;

export interface LinearPattern {
  toString(): string;
  test(text: string): boolean;
}

/**
 * A regular expression of somebody else, run in time that grows with the text and no faster. Nothing if it cannot be:
 * what looks ahead, looks behind or refers back, and what is too large.
 */
export function linearPattern(pattern: string): LinearPattern | undefined {
  if (pattern.length > longestPattern) return undefined;
  try {
    const read = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const size = read.programSize();
    if (size > largestProgram) return undefined;
    return {
      // Ajv takes patterns of one name for one pattern.
      toString: () => pattern,
      test(text) {
        spend(1 + (size * text.length) / stepsPerUnit);
        return read.test(text);
      },
    };
  } catch {
    return undefined;
  }
}
