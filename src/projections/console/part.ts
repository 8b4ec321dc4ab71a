import { isDelegated } from '../../run/delegated.ts';
import type { EventOf, StepId } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import type { SubStep, Visualization } from '../../wire/console.ts';
import { gathered } from '../preferences/cut.ts';
import type { OpenStep } from '../story.ts';
import { lengths, shownText, type Said, unsaid, withShown } from './said.ts';
import type { Tagged } from './thinking-tags.ts';

/**
 * What a step is to a console. A `card` is delegated work; a `part` speaks for the card around it; a `message` speaks to
 * the person; everything else is the orchestrator `thinking`.
 */
type Role = 'card' | 'part' | 'message' | 'thinking';

/** The face of a step card: one piece of delegated work. */
export interface Card {
  readonly step: StepId;
  readonly number: number;
  /** The card it was opened in. */
  readonly parent: Pick<Card, 'step' | 'number'> | undefined;
  readonly agent: string | undefined;
  /** What it goes by; undefined for one that goes by its title, which may still be arriving. */
  readonly name: string | undefined;
  readonly query: string;
  readonly reasoning: string | undefined;
  /** What the orchestrator said before it opened this card. */
  readonly thought: string | undefined;
}

/** A message to the person that is being said. */
interface Speech {
  readonly id: string;
  text: string;
  tagged: Tagged;
  hasBegun: boolean;
}

/** An open step as the console remembers it. What it gathers is bounded by what will be shown of it. */
export interface Part {
  readonly role: Role;
  /** The card it belongs to; 0 where the orchestrator itself is at work. */
  readonly owner: StepId;
  card?: Card | undefined;
  speech?: Speech | undefined;
  speeches: number;
  /** Of a card: the actions it was told of, and those of the cards below it. */
  readonly acts: { readonly own: Set<string>; readonly below: Set<string> };
  /** What failed in it and was not told yet: it may say so itself. */
  failed?: Failure | undefined;
  /** Why a person's no ended something in it. */
  declined?: string | undefined;
  brought: Brought;
}

/** What an attempt has brought so far. */
export interface Brought {
  said: Said;
  mused: string;
  shown: Visualization[];
  action?: { readonly name: string; readonly data: unknown } | undefined;
  below: SubStep[];
}

export const nothing = (): Brought => ({ said: unsaid, mused: '', shown: [], below: [] });

export function newPart(event: EventOf<'step.opened'>, above: OpenStep<Part> | undefined): Part {
  const role = above ? roleOf(event, above.own) : 'message';
  const owner = role === 'card' ? event.step : (above?.own.owner ?? 0);
  const acts = { own: new Set<string>(), below: new Set<string>() };
  return { role, owner, speeches: 0, acts, brought: nothing() };
}

function roleOf(event: EventOf<'step.opened'>, above: Part): Role {
  if (isDelegated(event, above.card)) return 'card';
  if (event.kind === 'turn') return above.role === 'card' ? 'part' : above.role;
  if (event.kind === 'answer') return above.owner === 0 ? 'message' : 'part';
  return 'thinking';
}

/** What a part brought, handed to its card when it closes: only what its last attempt brought counts. */
export function handUp(to: Brought, from: Omit<Brought, 'below'>): void {
  const text = shownText(from.said);
  // A card in whose part there was nothing for people to read has nothing either, until somebody says more.
  to.said = text === undefined ? { ...to.said, place: from.said.place } : withShown(to.said, text);
  to.mused = gathered(to.mused, from.mused, lengths.reasoning);
  to.shown.push(...from.shown);
  to.action = from.action ?? to.action;
}
