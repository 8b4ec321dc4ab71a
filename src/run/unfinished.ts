import type { EventOf } from './events.ts';

/** How an answer ended that did not end by itself: at a limit of its model, at the budget of its run, or at a filter. */
export type Unfinished = 'length' | 'budget' | 'filter';

/** The same, as the end of a sentence that begins with «it». */
const ways: Readonly<Record<Unfinished, string>> = {
  length: 'was cut off by the length limit of the model',
  budget: 'was cut off by the budget of this run',
  filter: 'was ended by a content filter',
};

export function unfinished(finish: unknown): Unfinished | undefined {
  return finish === 'length' || finish === 'budget' || finish === 'filter' ? finish : undefined;
}

/** How a turn ended, as its step says it. */
export function unfinishedTurn({ result }: Pick<EventOf<'step.closed'>, 'result'>): Unfinished | undefined {
  const isKnown = typeof result === 'object' && result !== null && 'finish' in result;
  return isKnown ? unfinished(result['finish']) : undefined;
}

export function wordsFor(how: Unfinished): string {
  return ways[how];
}

/** What stands below an answer as people get it. */
export function lineBelow(how: Unfinished): string {
  const missing = how === 'filter' ? 'something is missing' : 'its end is missing';
  return `\n\n[This answer ${ways[how]}: ${missing}.]`;
}

/** All of them. */
export const linesBelow: readonly string[] = (['length', 'budget', 'filter'] as const).map(lineBelow);
