import type { EventOf } from '../../run/events.ts';
import type { AgUiEvent } from '../../wire/ag-ui.ts';
import type { Closing } from '../story.ts';
import { supersededLine } from '../../run/answer-text.ts';
import { speak } from '../speaker.ts';
import { changed, type AgUiScene, type AgUiStep } from './scene.ts';
import { reasoningEnded, reasoningStarted, speaking, thoughts } from './part.ts';

/** What is said in a step, piece by piece: a message each for people and for thoughts; what a tool logs is in the tree of steps. */
export function hear(scene: AgUiScene, event: EventOf<'text.appended'>, step: AgUiStep): void {
  const { channel, text } = event;
  if (text === '') return;
  switch (channel) {
    case 'content':
      return say(scene, text, step);
    case 'reasoning':
      return think(scene, text, step);
    case 'log':
      return changed(scene, step, { detail: text });
    case 'arguments':
    // The call is told whole when it opens: clients run what they are left with.
  }
}

function say({ frames, memory }: AgUiScene, text: string, { own }: AgUiStep): void {
  if (own.isSilent) return;
  if (own.said.reasoning) frames.push(...thoughtEnded(own), ...reasoningEnded(own));
  own.said.reasoning = false;
  if (!own.said.text) frames.push(...speaking({ part: own }, { text: true, reasoning: false }));
  own.said.text = true;
  if (!own.isInner) speak(memory.spoken, own.id, text);
  const delta = whole(own.halves, 'content', text);
  const place = { messageId: own.id, subagentRunId: own.agent };
  if (delta !== '') frames.push({ type: 'TEXT_MESSAGE_CONTENT', ...place, delta });
}

/** Thoughts end where words begin; one that comes later is told by itself, in the same message. */
function think({ frames }: AgUiScene, text: string, { own }: AgUiStep): void {
  if (!own.said.reasoning) frames.push(...reasoningStarted(own));
  own.said.reasoning = !own.said.text;
  const delta = whole(own.halves, 'reasoning', text);
  if (delta !== '') frames.push({ type: 'REASONING_MESSAGE_CONTENT', ...thoughts(own), delta });
  if (own.said.text) frames.push(...thoughtEnded(own), ...reasoningEnded(own));
}

/** Binary frames can only hold whole characters, so half of one waits for the other. */
function whole(halves: AgUiStep['own']['halves'], channel: keyof typeof halves, text: string): string {
  const all = halves[channel] + text;
  const isCut = endsHalf(all);
  halves[channel] = isCut ? all.slice(-1) : '';
  return (isCut ? all.slice(0, -1) : all).toWellFormed();
}

export function endsHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** What is told of a step's words when it ends: half of a character stays half, and what does not count says so. */
export function lastWords({ isSuperseded = false }: Closing, { own }: AgUiStep): AgUiEvent[] {
  const { content } = own.halves;
  const isLeftOff = isSuperseded && own.said.text;
  const delta = content.toWellFormed() + (isLeftOff ? supersededLine : '');
  const place = { messageId: own.id, subagentRunId: own.agent };
  return [
    ...(own.said.reasoning ? thoughtEnded(own) : []),
    ...(delta === '' ? [] : [{ type: 'TEXT_MESSAGE_CONTENT', ...place, delta } as const]),
  ];
}

function thoughtEnded(own: AgUiStep['own']): AgUiEvent[] {
  const delta = own.halves.reasoning.toWellFormed();
  own.halves.reasoning = '';
  return delta === '' ? [] : [{ type: 'REASONING_MESSAGE_CONTENT', ...thoughts(own), delta }];
}
