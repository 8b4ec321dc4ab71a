import type { TurnResult } from '../engine/scope.ts';

type Ended = Pick<TurnResult, 'finish'>;

/** What ended an answer that did not end by itself, as the end of a sentence that begins with «it». */
export function whatEnded({ finish }: Ended): string | undefined {
  if (finish === 'length') return 'was cut off by the length limit of the model';
  if (finish === 'budget') return 'was cut off by the budget of this run';
  return finish === 'filter' ? 'was ended by a content filter' : undefined;
}

/** An answer as people get it: that it is not whole stands below it. */
export function wholeOrMarked(answer: string, turn: Ended): string {
  const ended = whatEnded(turn);
  if (ended === undefined) return answer;
  const missing = turn.finish === 'filter' ? 'something is missing' : 'its end is missing';
  return `${answer}\n\n[This answer ${ended}: ${missing}.]`;
}
