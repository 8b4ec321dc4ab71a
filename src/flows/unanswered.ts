import type { TurnResult } from '../engine/scope.ts';

/** What an agent said, and what it asked for in vain: whoever reads its answer must know that it may not be whole. */
export function withUnanswered({ text, calls }: Pick<TurnResult, 'text' | 'calls'>): string {
  if (calls.length === 0) return text;
  const tools = [...new Set(calls.map(({ tool }) => tool))].join(', ');
  const note = `(It asked for ${tools}, which nobody runs for it here: this may be incomplete.)`;
  return text === '' ? note : `${text}\n\n${note}`;
}
