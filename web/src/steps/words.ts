import type { FlatStep } from '../../../src/client/client.ts';
import { visible } from '../../../src/run/visible.ts';
import type { Json } from '../../../src/run/values.ts';
import { isBlobRef } from '../../../src/run/values.ts';
import { readSections } from '../../../src/wire/sectioned-text.ts';

/** What an agent that answers in sections means, for people; other text is its own meaning. */
export function meaningOf(text: string): string {
  return readSections(text, '')?.text ?? text;
}

/** The longest beginning of something that stands in one line. */
const longest = 160;

/** The first words of a text in one line, without the marks of Markdown. */
export function firstWords(text: string): string {
  const line = text
    .slice(0, 2_000)
    .split('\n')
    .map((one) => one.replaceAll(/[*_`#>]+|^\s*[-•]\s+/g, '').trim())
    .find((one) => one !== '' && !one.startsWith('{'));
  return visible(line ?? '').slice(0, longest);
}

/** What a tool was given, in one line: the values, since the names say little. */
export function argumentWords(given: Json | undefined): string {
  if (given === undefined || given === null || isBlobRef(given)) return '';
  if (typeof given !== 'object') return visible(String(given)).slice(0, longest);
  const values = Object.values(given as Readonly<Record<string, Json>>).map((value) =>
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  );
  return visible(values.join(', ').replaceAll(/\s+/g, ' ')).slice(0, longest);
}

/** A stage of another agent writes what it was given before what it found. */
export function stageArguments(text: string): Json | undefined {
  const [, json] = /^(?:#+[^\n]*\n)?\s*(?:```json\s*)?(\{[^\n]*\})/.exec(text) ?? [];
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as Json;
  } catch {
    return undefined;
  }
}

/** Whether a step is a use of a tool: its name is one that programs have. */
export function isTool({ kind, title }: Pick<FlatStep, 'kind' | 'title'>): boolean {
  return kind === 'call' || (kind === 'stage' && /^[\w.:-]+$/.test(title));
}

export function isLive(status: FlatStep['status'] | 'paused'): boolean {
  return status === 'running' || status === 'waiting' || status === 'paused';
}
