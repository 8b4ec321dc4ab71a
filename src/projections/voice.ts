import type { EventOf } from '../run/events.ts';

/**
 * Whether a step speaks for the run: what it says is the answer in the making. The run itself does, and below whoever does
 * an answer, and a model's turn; whoever cannot be asked again without harm was delegated to.
 */
export function isVoice(
  { kind, effect }: Pick<EventOf<'step.opened'>, 'kind' | 'effect'>,
  isBelowVoice: boolean,
): boolean {
  const isModel = kind === 'turn' && (effect === undefined || effect === 'pure');
  return isBelowVoice && (isModel || kind === 'answer');
}
