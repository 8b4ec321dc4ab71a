import { isDelegated } from '../../run/facts.ts';
import type { EventOf, StepId } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import type { SubStep, Visualization } from '../../wire/console.ts';
import { noSection, readPiece, type InSection } from '../../wire/section-reader.ts';
import { gathered } from '../preferences/cut.ts';
import type { OpenStep } from '../story.ts';
import type { Parted } from './thinking-tags.ts';

/** How much of a text a console shows. Characters. */
export const lengths = { query: 500, response: 2_000, reasoning: 500, summary: 200 } as const;

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
  readonly query: string;
  readonly reasoning: string | undefined;
  /** What the orchestrator said before it opened this card. */
  readonly thought: string | undefined;
}

/** A message to the person that is being said. */
interface Speech {
  readonly id: string;
  text: string;
  parted: Parted;
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
  readonly acts: Map<string, 'own' | 'below'>;
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
  const role = above ? roleOf(event, above) : 'message';
  const owner = role === 'card' ? event.step : (above?.own.owner ?? 0);
  return { role, owner, speeches: 0, acts: new Map(), brought: nothing() };
}

function roleOf(event: EventOf<'step.opened'>, { opening, own }: OpenStep<Part>): Role {
  if (isDelegated(event, own.card && { agent: opening.agent ?? opening.call?.tool })) return 'card';
  if (event.kind === 'turn') return own.role === 'card' ? 'part' : own.role;
  if (event.kind === 'answer') return own.owner === 0 ? 'message' : 'part';
  return 'thinking';
}

/** What a part brought, handed to its card when it closes: only what its last attempt brought counts. */
export function handUp(to: Brought, from: Omit<Brought, 'below'>): void {
  const text = shownText(from.said);
  const where = to.said.place.section === undefined ? 'plain' : 'analysis';
  // A card in whose part there was nothing for people to read has nothing either, until somebody says more.
  if (text === undefined) to.said = { ...to.said, place: from.said.place };
  else to.said = { ...to.said, [where]: gathered(to.said[where], text, lengths.response) };
  to.mused = gathered(to.mused, from.mused, lengths.reasoning);
  to.shown.push(...from.shown);
  to.action = from.action ?? to.action;
}

/** What was said in a step, as far as a card will show it. Of an answer in sections that is its analysis. */
interface Said {
  readonly plain: string;
  readonly analysis: string;
  readonly place: InSection;
}

export const unsaid: Said = { plain: '', analysis: '', place: noSection };

export function withText(said: Said, text: string, length: number = lengths.response): Said {
  const [place, pieces] = readPiece(said.place, text);
  let { plain, analysis } = said;
  for (const piece of pieces) {
    if (piece.section === undefined) plain = gathered(plain, piece.text, length);
    else if (piece.section === 'ANALYSIS')
      analysis = gathered(analysis, analysis === '' ? piece.text.trimStart() : piece.text, length);
  }
  return { plain, analysis, place };
}

/** What people read of it; undefined where all that was said are queries and their results. */
export function shownText({ plain, analysis, place }: Said): string | undefined {
  if (place.section === undefined) return plain + place.held;
  const read = place.section === 'ANALYSIS' ? analysis + place.held : analysis;
  return read.trim() || plain.trim() || undefined;
}

/** The same for a text that is there whole, and however long. */
export function readable(text: string): string {
  return shownText(withText(unsaid, text, Infinity)) ?? text;
}
