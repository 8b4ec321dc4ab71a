import { z } from 'zod';
import { parseJson } from './sse.ts';

export interface Citation {
  readonly kind: 'citation';
  readonly title: string;
  readonly url?: string;
  readonly quote?: string;
}

const words = z.string().nullish();
const Source = z.union([
  z.string().transform((title) => ({ title })),
  z.object({
    title: words,
    name: words,
    source: words,
    url: words,
    quote: words,
    snippet: words,
    content: words,
  }),
]);
const Sources = z.union([
  z.array(Source),
  z.object({ citations: z.array(Source) }).transform((all) => all.citations),
]);

/** The citations of a section: JSON, or a line each, as a list, as links, or plain. */
export function readCitations(text: string): Citation[] {
  const sources = Sources.safeParse(parseJson(text)).data;
  const found = sources
    ? sources.map(citationOf)
    : text.split('\n').map((line) => citationIn(line.slice(0, longest)));
  return found.flatMap((citation) => citation ?? []);
}

function citationOf(source: z.infer<typeof Source>): Citation | undefined {
  const { title, name, source: from, url, quote, snippet, content } = { ...blank, ...source };
  return citation(title || name || from || url || '', url ?? '', quote || snippet || content || '');
}

const blank = {
  name: undefined,
  source: undefined,
  url: undefined,
  quote: undefined,
  snippet: undefined,
  content: undefined,
};

const bullet = /^\s*(?:[-*•]|\[?\d+[\].)]+)?\s*/;
const link = /\[([^\]]*)\]\(([^)\s]+)\)/;
const address = /https?:\/\/[^\s)>\]]+/;

function citationIn(line: string): Citation | undefined {
  const said = line.replace(bullet, '').trim();
  const [whole = '', name = '', target = ''] = link.exec(said) ?? [];
  if (whole !== '') return citation(name || target, target, said.replace(whole, ''));
  const [url = ''] = address.exec(said) ?? [];
  const title = said.replace(url, '');
  return citation(clean(title) || url, url, '');
}

/** Only what a browser may open without running anything is an address. */
function citation(title: string, url: string, quote: string): Citation | undefined {
  const named = clean(title);
  if (named === '') return undefined;
  return {
    kind: 'citation',
    title: named,
    url: /^https?:\/\//i.test(url) ? url : undefined,
    quote: clean(quote) || undefined,
  };
}

/** What is longer is no title, and would make trimming costly. */
const longest = 2_000;

function clean(text: string): string {
  return text
    .slice(0, longest)
    .replace(/^[\s:–—(-]+/, '')
    .replace(/[\s:–—(-]+$/, '');
}
