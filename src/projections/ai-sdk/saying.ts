import type { EventOf } from '../../run/events.ts';
import type { AiSdkChunk } from '../../wire/ai-sdk.ts';
import { supersededLine } from '../../run/answer-text.ts';
import { speak } from '../speaker.ts';
import type { AiSdkScene, AiSdkStep } from './scene.ts';

type Part = 'text' | 'reasoning';

/** What the run says is text; what is said inside agents reaches those who listen, and is kept with its step when that ends. */
export function hear(scene: AiSdkScene, event: EventOf<'text.appended'>, step: AiSdkStep): void {
  const { channel, text } = event;
  const { own, id } = step;
  if (text === '' || channel === 'arguments') return;
  if (channel === 'log' || own.isInner) {
    const data = { step: `s${id}`, channel, delta: text };
    scene.frames.push({ type: 'data-text', data, transient: true });
    return;
  }
  if (own.isSilent && channel === 'content') return;
  const { memory, frames } = scene;
  if (id !== memory.turn) memory.turn = undefined;
  if (channel === 'content') speak(memory.spoken, `s${id}`, text);
  const part = channel === 'content' ? 'text' : 'reasoning';
  if (part === 'text') frames.push(...ended(step, 'reasoning'));
  const open = own[part] ?? begin(step, part);
  if (own[part] === undefined) frames.push({ type: `${part}-start`, id: open });
  own[part] = open;
  frames.push({ type: `${part}-delta`, id: open, delta: text });
}

function begin({ own, id }: AiSdkStep, part: Part): string {
  own.parts += 1;
  return `${part}-s${id}-${own.parts}`;
}

function ended({ own }: AiSdkStep, part: Part): AiSdkChunk[] {
  const id = own[part];
  own[part] = undefined;
  return id === undefined ? [] : [{ type: `${part}-end`, id }];
}

/** Ends what a step says, or what it has said so far. */
export function hush(step: AiSdkStep): AiSdkChunk[] {
  return [...ended(step, 'reasoning'), ...ended(step, 'text')];
}

/** The same where it is said anew: what cannot be taken back says so. */
export function leaveOff(step: AiSdkStep): AiSdkChunk[] {
  const { text: id } = step.own;
  const line = id === undefined ? [] : [{ type: 'text-delta', id, delta: supersededLine } as const];
  return [...line, ...hush(step)];
}
