import type { OpenStep } from './story.ts';

type Step = Pick<OpenStep<unknown>, 'call' | 'opening' | 'isBegun' | 'attempt'>;

/** Whether a step is a call, be it one that cannot be understood. */
export function isToolCall({ opening: { kind } }: Step): boolean {
  return kind === 'call' || kind === 'misfit';
}

export function toolOf({ call, opening }: Step): string {
  return call?.tool ?? opening.title;
}

/** What is blocked, refused or does not fit was never tried. */
export function attemptsOf({ isBegun, attempt }: Step): number {
  return isBegun ? attempt : 0;
}
