import { RunError } from '../run/failure.ts';
import { readLinear } from '../schema/linear-pattern.ts';

/** One instruction of the automaton of a pattern, as `re2js` makes it. */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

/** The automaton of a pattern: of every place in it, what goes on from there. */
export interface Program {
  readonly start: number;
  readonly inst: readonly Instruction[];
}

/** What instructions do, by their numbers. */
export const op = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  empty: 4,
  fail: 5,
  match: 6,
  nop: 7,
  any: 10,
  anyButLine: 11,
} as const;
/** What an empty instruction asks about its place. */
export const place = {
  lineBegin: 1,
  lineEnd: 2,
  textBegin: 4,
  textEnd: 8,
  border: 16,
  noBorder: 32,
} as const;

/** Read a pattern that costs the same for each character, whatever the text. Fails with the reason. */
export function programOf(pattern: string): Program {
  const read = readLinear(pattern);
  if (typeof read === 'string') throw new RunError('malformed', `the pattern cannot be used: ${read}`);
  return read.re2().prog as Program;
}

export function isRune(instruction: Instruction): boolean {
  return instruction.op > op.nop;
}

/** Where to go on from an instruction that takes no character. */
export function waysOf(instruction: Instruction): readonly number[] {
  switch (instruction.op) {
    case op.alt:
    case op.altMatch:
      return [instruction.out, instruction.arg];
    case op.capture:
    case op.nop:
    case op.empty:
      return [instruction.out];
    default:
      return [];
  }
}

/** How many characters a match has at most; without end where something may be repeated for ever. */
export function greatestLength({ start, inst }: Program): number {
  const known = new Map<number, number>();
  const from = (at: number): number => {
    const instruction = inst[at];
    if (!instruction) return 0;
    const before = known.get(at);
    if (before !== undefined) return before;
    // Whoever comes back here has gone round.
    known.set(at, Infinity);
    const length = isRune(instruction)
      ? 1 + from(instruction.out)
      : Math.max(0, ...waysOf(instruction).map(from));
    known.set(at, length);
    return length;
  };
  return from(start);
}

/** Instructions that a match may begin with. */
export function firstOf({ start, inst }: Program): readonly Instruction[] {
  const seen = new Set<number>();
  const first: Instruction[] = [];
  const stack = [start];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const instruction = inst[at];
    if (!instruction || seen.has(at)) continue;
    seen.add(at);
    if (isRune(instruction)) first.push(instruction);
    else stack.push(...waysOf(instruction));
  }
  return first;
}
