import type { StepId } from '../../run/events.ts';
import { changePart, freshLine, remember, type Draft } from './draft.ts';
import type { Part, Speech } from './part.ts';
import { openStepOrRun, type OpenStep } from '../preferences/open-steps.ts';
import { part, untagged } from './thinking-tags.ts';

/** A piece of a message to the person. It begins with the first text that is for them. */
export function speak(draft: Draft, step: OpenStep<Part>, text: string): void {
  const { speeches } = step.value;
  const id = `${draft.run}-s${step.id}${speeches === 0 ? '' : `-${speeches + 1}`}`;
  const before = step.value.speech ?? { id, text: '', tagged: untagged, hasBegun: false };
  const [tagged, { shown }] = part(before.tagged, text);
  changePart(draft, step, { speech: { ...grown(draft, before, shown), tagged } });
}

/** A new attempt says it anew, under the same id: whoever has had the former one begins again. */
export function restartSpeech(draft: Draft, speech: Speech): Speech {
  if (speech.hasBegun) draft.told.push({ type: 'speech.begun', id: speech.id });
  return { ...speech, text: '', tagged: untagged };
}

interface SpeechEnd {
  /** Said by the run itself between its steps. */
  readonly isAside?: boolean;
  readonly isStopped?: boolean;
}

export function endSpeech(draft: Draft, id: StepId, { isAside = false, isStopped = false }: SpeechEnd): void {
  const step = openStepOrRun(draft.memory.steps, id);
  const { speech, speeches } = step.value;
  if (!speech) return;
  const rest = speech.tagged.isInside ? '' : speech.tagged.held;
  const { text, hasBegun } = grown(draft, speech, rest);
  if (hasBegun)
    draft.told.push({
      type: 'speech.ended',
      id: speech.id,
      text,
      aside: isAside ? freshLine(draft, text) : '',
    });
  changePart(draft, step, { speech: undefined, speeches: speeches + 1 });
  if (text !== '') remember(draft, { message: text, partial: isStopped ? text : '' });
}

function grown(draft: Draft, speech: Speech, more: string): Speech {
  if (more === '') return speech;
  if (!speech.hasBegun) draft.told.push({ type: 'speech.begun', id: speech.id });
  draft.told.push({ type: 'speech.grew', id: speech.id, text: more });
  return { ...speech, text: speech.text + more, hasBegun: true };
}
