import type { EventOf, StepId } from '../../run/events.ts';
import { show, type Flat, type Step } from './flat-scene.ts';

/** The first words of a step are told at once, the others with its end. */
export function hear(scene: Flat, { channel, text }: EventOf<'text.appended'>, step: Step): void {
  if (channel !== 'content') return;
  if (step.id === scene.memory.speaker.id) return speak(scene, text);
  if (step.own.isVoice || step.own.hasSpoken || step.text.trim() === '') return;
  step.own.hasSpoken = true;
  show(scene, step);
}

/** Text is sent whole: each time half as much again has come, so that all of it costs three times its length. */
function speak({ memory, frames }: Flat, text: string): void {
  const { speaker, told } = memory;
  speaker.text += text;
  if (speaker.text.length === told || speaker.text.length - told < told / 2) return;
  memory.told = speaker.text.length;
  frames.push({ final_output: speaker.text });
}

/** What a step said that is tried again, or that others go on from, is no output any more. */
export function takeBack({ memory, frames }: Flat, id: StepId): void {
  const { speaker } = memory;
  if (speaker.id !== id && !speaker.above.includes(id)) return;
  if (memory.told > 0) frames.push({ final_output: '' });
  memory.told = 0;
  speaker.text = '';
}
