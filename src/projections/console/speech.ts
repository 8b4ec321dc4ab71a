import { freshLine, tellFailure, type Draft, type Step } from './thinking.ts';
import { part, untagged } from './thinking-tags.ts';

/** A piece of a message to the person. It begins with the first text that is for them. */
export function speak(draft: Draft, step: Step, text: string): void {
  const { own } = step;
  const id = `${draft.memory.run}-s${step.id}${own.speeches === 0 ? '' : `-${own.speeches + 1}`}`;
  own.speech ??= { id, text: '', tagged: untagged, hasBegun: false };
  const [tagged, { shown }] = part(own.speech.tagged, text);
  own.speech.tagged = tagged;
  grow(draft, step, shown);
}

function grow({ frames }: Draft, { own: { speech } }: Step, text: string): void {
  if (!speech || text === '') return;
  const { id } = speech;
  if (!speech.hasBegun) frames.push({ type: 'speech.begun', id });
  frames.push({ type: 'speech.grew', id, text });
  speech.text += text;
  speech.hasBegun = true;
}

/** A new attempt says it anew, under the same id: whoever has had the former one begins again. */
export function restartSpeech({ frames }: Draft, { own: { speech } }: Step): void {
  if (speech?.hasBegun) frames.push({ type: 'speech.begun', id: speech.id });
  if (speech) Object.assign(speech, { text: '', tagged: untagged });
}

/** An aside is said by the run itself between its steps. */
export function endSpeech(draft: Draft, step: Step, how: 'whole' | 'stopped' | 'aside'): void {
  const { own } = step;
  if (!own.speech) return;
  if (!own.speech.tagged.isInside) grow(draft, step, own.speech.tagged.held);
  const { id, text, hasBegun } = own.speech;
  if (how === 'aside') tellFailure(draft, step, text);
  const aside = how === 'aside' && hasBegun ? freshLine(draft, text) : '';
  if (hasBegun) draft.frames.push({ type: 'speech.ended', id, text, aside });
  own.speech = undefined;
  own.speeches += 1;
  if (text === '') return;
  draft.memory.message = text;
  draft.memory.partial = how === 'stopped' ? text : '';
}
