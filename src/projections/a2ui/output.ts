import type { EventOf } from '../../run/events.ts';
import { blockEnd, blocksOf } from './blocks.ts';
import { put, type Changing, type Item, type Path, type Spot } from './surface.ts';
import { wholeAnswer } from '../../run/answer-text.ts';
import { textItem } from './words.ts';

/** Somebody who speaks for the run, as far as they have come. */
export interface Voice {
  readonly spot: Spot;
  readonly path: Path;
  /** The last block, as far as it has come. */
  block: string;
  /** How many blocks there are before it. */
  before: number;
  /** How much of the last block was told, and when, by the clock of the entries. */
  told: number;
  at: number | undefined;
}

/** The last block is told anew after so many milliseconds, as the entries count them, or so many characters. */
const due = { milliseconds: 250, characters: 400 } as const;

export function beginVoice(spot: Spot): Voice {
  return { spot, path: ['output', spot], block: '', before: 0, told: 0, at: undefined };
}

/** The first piece at once, so that there is no dead air; then as much as is worth sending the block again. */
export function speak(scene: Changing, voice: Voice, text: string): void {
  const isOld = voice.at === undefined || scene.at - voice.at >= due.milliseconds;
  voice.block += text;
  for (let end = blockEnd(voice.block); end > 0; end = blockEnd(voice.block)) {
    const rest = voice.block.slice(end);
    voice.block = voice.block.slice(0, end);
    tellBlock(scene, voice);
    Object.assign(voice, { block: rest, before: voice.before + 1, told: 0 });
  }
  if (isOld || voice.block.length - voice.told >= due.characters) tellBlock(scene, voice);
}

export function endVoice(scene: Changing, voice: Voice): void {
  tellBlock(scene, voice);
}

function tellBlock(scene: Changing, voice: Voice): void {
  const { path, block, before, told } = voice;
  if (block.length === told) return;
  const at = [...path, 'blocks', { key: `b${before}`, index: before }];
  if (told === 0) put(scene, at, { text: block });
  else put(scene, [...at, 'text'], block);
  voice.told = block.length;
  voice.at = scene.at;
}

export function hasSpoken({ at }: Voice): boolean {
  return at !== undefined;
}

export function takeBack(scene: Changing, spot: Spot): void {
  put(scene, [...beginVoice(spot).path, 'blocks'], []);
}

/** What a run answers is its output, whatever was said on the way. */
export function answered(scene: Changing, { answer }: Pick<EventOf<'run.ended'>, 'answer'>): void {
  const text = wholeAnswer(answer);
  if (text !== '') put(scene, ['output'], [saidItem('answer', text)]);
}

export function saidItem(key: string, text: string): Item {
  return { key, fields: { blocks: blocksOf(text).map((block, i) => textItem(`b${i}`, block)) } };
}
