import type { EventOf, StepId } from '../../run/events.ts';
import type { SubStep, Visualization } from '../../wire/console.ts';
import { joined, type Chain } from '../chain.ts';
import type { Card } from './card.ts';
import { lengths } from './lengths.ts';
import { shownText, unsaid, withShown, type Said } from './said.ts';
import { gathered } from '../preferences/cut.ts';
import type { Tagged } from './thinking-tags.ts';

/**
 * What a step is to a console. A `card` is delegated work; a `part` speaks for the card around it; a `message` speaks to
 * the person; everything else is the orchestrator `thinking`.
 */
export type Role = 'card' | 'part' | 'message' | 'thinking';

/** A message to the person that is being said. */
export interface Speech {
  readonly id: string;
  readonly text: string;
  readonly tagged: Tagged;
  readonly hasBegun: boolean;
}

/** An open step as the console remembers it. What it gathers is bounded by what will be shown of it. */
export interface Part {
  readonly role: Role;
  /** The card it belongs to; 0 where the orchestrator itself is at work. */
  readonly owner: StepId;
  readonly title: string;
  readonly card: Card | undefined;
  readonly speech: Speech | undefined;
  readonly speeches: number;
  /** Whether it waits for a person. */
  readonly isAsking: boolean;
  readonly waits: Waits;
  readonly acts: Acts;
  readonly brought: Brought;
}

/** How long a card, and what is below it, waited for people. */
export interface Waits {
  /** How many wait now, and since when there are some. */
  readonly now: number;
  readonly since: number;
  /** Before that. Milliseconds. */
  readonly before: number;
}

/** The actions a card was told of, and those of the cards below it. */
export interface Acts {
  readonly own: Chain<string> | undefined;
  readonly below: Chain<string> | undefined;
}

/** What an attempt has brought so far. */
export interface Brought {
  readonly said: Said;
  readonly mused: string;
  readonly shown: Chain<Visualization> | undefined;
  readonly action: { readonly name: string; readonly data: unknown } | undefined;
  readonly below: Chain<Omit<SubStep, 'index'>> | undefined;
}

export const nothing: Brought = {
  said: unsaid,
  mused: '',
  shown: undefined,
  action: undefined,
  below: undefined,
};

export const runPart: Part = {
  role: 'message',
  owner: 0,
  title: '',
  card: undefined,
  speech: undefined,
  speeches: 0,
  isAsking: false,
  waits: { now: 0, since: 0, before: 0 },
  acts: { own: undefined, below: undefined },
  brought: nothing,
};

/** Steps a flow makes of others, to put them in order. */
const plain = new Set(['step', 'branch', 'route', 'registration', 'verdict', 'answer']);

export function roleOf(event: EventOf<'step.opened'>, above: Part): Role {
  const { kind, agent, effect } = event;
  if (kind === 'turn') {
    if (above.role === 'card' && agent !== undefined && above.card?.agent === agent) return 'part';
    // A model is asked again without harm; whoever is not was delegated to.
    if (effect !== undefined && effect !== 'pure') return 'card';
    return above.role === 'card' ? 'part' : above.role;
  }
  if (kind === 'answer') return above.owner === 0 ? 'message' : 'part';
  if (plain.has(kind)) return agent === undefined ? 'thinking' : 'card';
  return 'card';
}

export function isNothing({ said, mused, shown, action }: Brought): boolean {
  return said === unsaid && mused === '' && shown === undefined && action === undefined;
}

/** What a part brought, handed to its card when it closes: only what its last attempt brought counts. */
export function handedUp(to: Brought, from: Brought): Brought {
  const text = shownText(from.said);
  return {
    // A card in whose part there was nothing for people to read has nothing either, until somebody says more.
    said: text === undefined ? { ...to.said, place: from.said.place } : withShown(to.said, text),
    mused: gathered(to.mused, from.mused, lengths.reasoning),
    shown: joined(to.shown, from.shown),
    action: from.action ?? to.action,
    below: to.below,
  };
}
