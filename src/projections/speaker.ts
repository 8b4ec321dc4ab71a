import { unsaid } from '../run/answer-text.ts';
import type { EventOf } from '../run/events.ts';
import { beginningOf, isBlobRef, type BlobRef, type Json } from '../run/values.ts';

/** What is said in these is meant for the run, and not for people: a plan, or a verdict that is told as a notice. */
const silent: ReadonlySet<string> = new Set(['route', 'verdict']);

/** Who speaks in a step, for protocols that tell what a run says apart from what its agents say. */
export interface Voice {
  /** In an agent that was given work, or in a stage of one elsewhere. */
  readonly isInner: boolean;
  readonly isSilent: boolean;
}

export function voiceOf(
  { kind, origin }: Pick<EventOf<'step.opened'>, 'kind' | 'origin'>,
  above: Voice | undefined,
): Voice {
  if (above === undefined) return { isInner: false, isSilent: false };
  return {
    isInner: kind === 'agent' || origin !== undefined || above.isInner,
    isSilent: silent.has(kind) || (kind !== 'agent' && above.isSilent),
  };
}

/** What the run itself said last to people, and where. */
export interface Spoken {
  in: string;
  text: string;
}

export function speak(spoken: Spoken, where: string, text: string): void {
  if (spoken.in !== where) Object.assign(spoken, { in: where, text: '' });
  spoken.text += text;
}

/** What of an answer is still to be told: nothing where it is what was said last. */
export function untold({ text }: Spoken, answer: EventOf<'run.ended'>['answer']): string {
  if (isBlobRef(answer)) return unsaid(text, answer)?.trimStart() ?? plain(answer);
  return answer?.trim() === text.trim() ? '' : plain(answer);
}

/** A step of one attempt, by a name that no other has in its run. */
export function shortName({ id, attempt }: { readonly id: number; readonly attempt: number }): string {
  return attempt === 1 ? `s${id}` : `s${id}.${attempt}`;
}

/** A value as text; of what is large, its beginning and where all of it is. */
export function plain(value: BlobRef | Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (!isBlobRef(value)) return JSON.stringify(value);
  return `${beginningOf(value)}… (${value.size} bytes in all: GET /api/files/${value.blob})`;
}

/** Why a call has no result of its own, or what its result is, as text. */
export function resultText({ outcome, result, failure, reusedFrom }: Result): string {
  if (failure) return failure.message.toWellFormed();
  if (reusedFrom !== undefined) return `The result of s${reusedFrom} was used again.`;
  if (outcome !== 'completed' && result === undefined) return `The call was ${outcome}.`;
  return plain(result).toWellFormed();
}

type Result = Omit<EventOf<'step.closed'>, 'type' | 'step'>;
