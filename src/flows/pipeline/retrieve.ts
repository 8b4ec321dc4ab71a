import { z } from 'zod';
import type { Scope } from '../../engine/scope.ts';
import { failureOf } from '../../run/failure.ts';
import type { Item, Json } from '../../run/values.ts';
import type { TextChecks } from './guard.ts';
import type { PipelineSettings } from './settings.ts';

/** A part of a document, as models get it. */
export interface Passage {
  readonly title: string;
  readonly text: string;
}

/** What is known of the documents that people brought into a conversation. */
export interface RetrievalMeans {
  /** What of them may pass: unguarded they are not searched. */
  readonly checks?: Pick<TextChecks, 'check'>;
  /** The passages of the conversation of a run that fit a query, to cite, and what could not be read. */
  readonly search?: (run: string, query: string) => Promise<FoundInUploads>;
}

interface FoundInUploads {
  readonly passages: readonly Json[];
  readonly items: readonly Item[];
  readonly unread: readonly string[];
}

/** Whether there is anything to look into. */
export function hasSources(
  { retrieval }: PipelineSettings,
  { search }: Pick<RetrievalMeans, 'search'>,
): boolean {
  return retrieval.tools.length > 0 || (retrieval.uploads && search !== undefined);
}

const longestQuery = 500;
const longestPassage = 4_000;

/** What the tools of an application find for a request, the best of each first. What fails is said and left out. */
export async function retrieve(
  scope: Scope,
  {
    settings: { retrieval },
    means,
  }: { readonly settings: Pick<PipelineSettings, 'retrieval'>; readonly means: RetrievalMeans },
  text: string,
): Promise<readonly Passage[]> {
  const query = text.slice(0, longestQuery).toWellFormed();
  const found: (readonly Passage[])[] = [];
  if (retrieval.uploads && means.search && means.checks)
    found.push(asGuarded(await searchUploads(scope, query, means.search), means.checks));
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

/** What the person brought, as a step of its own: what was found is recorded, and the same after a restart. */
async function searchUploads(
  scope: Scope,
  query: string,
  search: NonNullable<RetrievalMeans['search']>,
): Promise<readonly Passage[]> {
  try {
    const options = { key: 'uploads', kind: 'retrieval', title: 'Searching your documents', query };
    const { passages, unread } = await scope.step(options, async (inner) => {
      const found = await search(inner.run, query);
      for (const item of found.items) inner.attach(item);
      return { passages: found.passages, unread: found.unread };
    });
    for (const sentence of unread) scope.notice('DOCUMENT_UNREAD', sentence);
    return passagesIn([...passages]);
  } catch (thrown) {
    scope.notice('RETRIEVAL_FAILED', `Your documents gave no passages: ${failureOf(thrown).message}`);
    return [];
  }
}

/** What a person brought goes on as what they say does. */
function asGuarded(passages: readonly Passage[], { check }: Pick<TextChecks, 'check'>): readonly Passage[] {
  const pass = (text: string): string => check(text, 'input').text;
  return passages.map(({ title, text }) => ({ title: pass(title), text: pass(text) }));
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
