import { z } from 'zod';
import type { Scope } from '../engine/scope.ts';
import type { Json } from '../run/values.ts';
import type { PipelineSettings } from './pipeline-settings.ts';

/** A part of a document, as models get it. */
export interface Passage {
  readonly title: string;
  readonly text: string;
}

const longestQuery = 500;
const longestPassage = 4_000;

/** What the tools of an application find for a request, the best of each first. What fails is said and left out. */
export async function retrieve(
  scope: Scope,
  { retrieval }: PipelineSettings,
  text: string,
): Promise<readonly Passage[]> {
  const query = text.slice(0, longestQuery).toWellFormed();
  const found: (readonly Passage[])[] = [];
  for (const tool of retrieval.tools) {
    const called = await scope.call(tool, { query }, { key: tool });
    if ('failure' in called)
      scope.notice('RETRIEVAL_FAILED', `${tool} gave no passages: ${called.failure.message}`);
    else found.push(passagesIn(called.result));
  }
  const passages = inTurn(found).slice(0, retrieval.passages);
  scope.say(passages.length === 0 ? 'Nothing was found.' : titlesOf(passages));
  return passages;
}

function titlesOf(passages: readonly Passage[]): string {
  return [...new Set(passages.map(({ title }) => title))].join('; ');
}

const Found = z.object({ title: z.string().optional(), path: z.string().optional(), text: z.string() });
const Results = z.union([
  z.object({ results: z.array(z.unknown()) }).transform(({ results }) => results),
  z.array(z.unknown()),
]);

/** A list of passages, or the whole result as one. */
function passagesIn(result: Json): Passage[] {
  const listed = Results.safeParse(result);
  if (!listed.success) {
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    return text.trim() === '' ? [] : [{ title: 'Result', text: cut(text) }];
  }
  return listed.data.flatMap((value) => {
    const one = Found.safeParse(typeof value === 'string' ? { text: value } : value);
    if (!one.success) return [];
    const { title, path, text } = one.data;
    return [{ title: title ?? path ?? 'Passage', text: cut(text) }];
  });
}

function cut(text: string): string {
  return text.length > longestPassage ? `${text.slice(0, longestPassage).toWellFormed()}…` : text;
}

/** The first of each, then the second of each: no source goes before another. */
function inTurn(found: readonly (readonly Passage[])[]): Passage[] {
  const longest = Math.max(0, ...found.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => found.flatMap((list) => list[i] ?? [])).flat();
}
