import { isResting, workedBy } from './pace.ts';
import { isAtWork, type RunTree, type Step } from './tree.ts';
import type { Limits } from './values.ts';

/** What a run may use up if nobody says otherwise. */
export const defaultLimits = {
  turns: 30,
  calls: 60,
  tokens: 1_000_000,
  depth: 12,
  seconds: 3_600,
  entries: 2_000_000,
  bytes: 256_000_000,
} as const;

/** What is wanted, and of nothing more than is allowed; what nobody wants is as it is allowed. */
export function atMost(allowed: Limits, wanted: Limits): Limits {
  return Object.fromEntries(
    Object.keys(defaultLimits).flatMap((each) => {
      const name = each as keyof Limits;
      const [most = Infinity, asked = Infinity] = [allowed[name], wanted[name]];
      const chosen = Math.min(most, asked);
      return chosen === Infinity ? [] : [[name, chosen]];
    }),
  );
}

export function limitsOf(tree: RunTree): { readonly [Name in keyof Limits]-?: number } {
  const { turns, calls, tokens, depth, seconds, entries, bytes } = tree.started?.limits ?? {};
  return {
    turns: turns ?? defaultLimits.turns,
    calls: calls ?? defaultLimits.calls,
    tokens: tokens ?? defaultLimits.tokens,
    depth: depth ?? defaultLimits.depth,
    seconds: seconds ?? defaultLimits.seconds,
    entries: entries ?? defaultLimits.entries,
    bytes: bytes ?? defaultLimits.bytes,
  };
}

/** How long a run may still work; below zero when it has worked for too long. Only time in which it works counts. */
export function millisecondsLeft(tree: RunTree, now: number): number {
  return limitsOf(tree).seconds * 1_000 - tree.spent.milliseconds - sinceLast(tree, now);
}

/** The same of a step whose time is bounded; undefined where it is not. What it waits for does not count. */
export function millisecondsLeftIn(tree: RunTree, { clock }: Step, now: number): number | undefined {
  if (!clock) return undefined;
  return clock.within - workedBy(tree, clock) - (isResting(clock) ? 0 : sinceLast(tree, now));
}

function sinceLast(tree: RunTree, now: number): number {
  return isAtWork(tree) ? Math.max(0, now - tree.at) : 0;
}
