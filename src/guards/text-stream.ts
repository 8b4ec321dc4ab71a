import type { EventOf, RunEvent } from '../run/events.ts';

/** A piece of a text that arrives in pieces. */
export type TextPiece = EventOf<'text.appended'> | EventOf<'title.appended'>;

/** The name of the text that a piece belongs to. */
export function streamOf(event: TextPiece): string {
  if (event.type === 'title.appended') return `${event.step} title`;
  return `${event.step} ${event.channel} ${event.call ?? ''}`;
}

/** The beginning of a title that may go on after its step was opened. */
export function titleOf(event: RunEvent): EventOf<'title.appended'> | undefined {
  if (event.type !== 'step.opened' || event.origin === undefined) return undefined;
  return { type: 'title.appended', step: event.step, text: event.title };
}
