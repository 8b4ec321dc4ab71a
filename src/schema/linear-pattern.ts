import { RE2JS } from 're2js';
import { spend } from './work.ts';

const longestPattern = 1_000;
const largestProgram = 5_000;
/** Steps of the automaton to a unit of work. */
const stepsPerUnit = 4;

export interface LinearPattern {
  /** Of its automaton: what it costs to read the pattern, and to look at one character. */
  readonly size: number;
  test(text: string): boolean;
}

/**
 * A regular expression of somebody else, run in time that grows with the text and no faster. Nothing if it cannot be:
 * what looks ahead, looks behind or refers back, and what is too large.
 */
export function linearPattern(pattern: string): LinearPattern | undefined {
  const read = readLinear(pattern);
  if (typeof read === 'string') return undefined;
  const size = read.programSize();
  return {
    size,
    test(text) {
      spend(1 + (size * text.length) / stepsPerUnit);
      return read.test(text);
    },
  };
}

/** The same as it was read, or why it cannot be. */
export function readLinear(pattern: string): RE2JS | string {
  // Known before it is read: a few characters may stand for a million.
  if (pattern.length > longestPattern) return `it is longer than ${longestPattern} characters`;
  const tooLarge = `it stands for more than ${largestProgram} steps: repeat less`;
  if (sizeOf(pattern) > largestProgram) return tooLarge;
  try {
    const read = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return read.programSize() > largestProgram ? tooLarge : read;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message.replace(/^error parsing regexp: /, '') : String(thrown);
  }
}

/** About how many characters a pattern stands for: what is repeated counts as often as it may stand there. */
function sizeOf(pattern: string): number {
  const outer: number[] = [];
  let [sum, last] = [0, 0];
  for (const [token] of pattern.matchAll(tokens)) {
    if (token === '(') {
      outer.push(sum);
      sum = 0;
    } else if (token === ')') {
      last = sum;
      sum += outer.pop() ?? 0;
    } else if (token.startsWith('{')) {
      const times = Math.max(1, ...(token.match(/\d+/g) ?? []).map(Number));
      sum += last * (times - 1);
      last *= times;
    } else {
      last = 1;
      sum += 1;
    }
  }
  return sum;
}

/** A class, an escape, a count of repetitions, or one character. */
const tokens = /\[(?:\\.|[^\]\\])*\]|\\.|\{\d+(?:,\d*)?\}|[^]/g;
