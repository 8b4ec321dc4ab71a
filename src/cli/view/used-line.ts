import type { RunTree } from '../../run/tree.ts';

/** What a run has used until now, in a line; none where that is nothing. */
export function usedLine({ spent, usage }: Pick<RunTree, 'spent' | 'usage'>): string | undefined {
  const used = [
    counted(spent.turns, 'turn'),
    counted(spent.calls, 'call'),
    counted(spent.tokens, 'token'),
    usage.cost === undefined ? [] : `cost ${costs.format(usage.cost)}`,
  ].flat();
  return used.length === 0 ? undefined : `Used: ${used.join(', ')}`;
}

const numbers = new Intl.NumberFormat('en');
// As the web app says it: a price of a thousandth is no price of nothing.
const costs = new Intl.NumberFormat('en', {
  minimumFractionDigits: 2,
  maximumSignificantDigits: 3,
  roundingPriority: 'morePrecision',
});

function counted(count: number, noun: string): string[] {
  if (count === 0) return [];
  return [`${numbers.format(count)} ${noun}${count === 1 ? '' : 's'}`];
}
