import type { EventOf } from '../../run/events.ts';
import type { ConsoleFrame } from '../../wire/console.ts';
import type { endedCard } from './card.ts';
import type { Card } from './part.ts';

/** What happens on a console, whichever generation of names it is told in. */
interface Happenings {
  began: { text: string; thread: string; isFollowUp: boolean };
  thought: { agent: string; status: string };
  'card.opened': { card: Card; agent: string };
  'card.closed': { card: Card; agent: string; body: ReturnType<typeof endedCard>['body'] };
  acted: { number: number; name: string; data: unknown };
  'speech.begun': { id: string };
  'speech.grew': { id: string; text: string };
  /** An aside was said by the run itself between its steps, so it is surely not the answer; empty if it is no news. */
  'speech.ended': { id: string; text: string; aside: string };
  changed: { change: Change };
  ended: RunEnd;
}

export type Happening = {
  [Type in keyof Happenings]: { readonly type: Type } & Readonly<Happenings[Type]>;
}[keyof Happenings];

export interface Moment {
  readonly run: string;
  readonly at: number;
}

/** How a generation of the console names what happens. */
export type Names<Frame> = {
  readonly [Type in keyof Happenings]?: (
    happening: Readonly<Happenings[Type]>,
    moment: Moment,
  ) => readonly Frame[];
};

type DataOf<Event> = Extract<ConsoleFrame, { event: Event }>['data'];
export type Change = DataOf<'status_change'>;

interface RunEnd extends Pick<EventOf<'run.ended'>, 'outcome'> {
  readonly message: DataOf<'message'>;
  /** The answer was the last message, so it need not be said again. */
  readonly isSaid: boolean;
  readonly figures: DataOf<'run_complete'>;
  readonly failure: string;
}

/** What both generations end with; a run that failed is not complete. */
export function ending<Frame>({ outcome, failure }: RunEnd, complete: Frame) {
  const status = outcome === 'stopped' ? ('cancelled' as const) : outcome;
  const last = outcome === 'failed' ? { event: 'error' as const, data: { message: failure } } : complete;
  return [last, { event: 'done' as const, data: { status } }];
}

/** On re-opening, clients drop what stands between a message of the user and the next start. */
export function heard({ text, isFollowUp }: Happenings['began']) {
  return isFollowUp ? [{ event: 'user_message' as const, data: { text } }] : [];
}
