import { list, text, type Json } from '../json.ts';
import { placeIn } from '../place-words.ts';
import { asked, call, offers, resultsOf, say, type Reply, type Rule } from '../rule.ts';
import type { OfferedTool, Situation } from '../situation.ts';
import { summarise } from '../summary.ts';
import type { Result } from '../tool-result.ts';
import { linkIn } from '../topics.ts';
import { joined, stems } from '../words.ts';

/** Runbooks are searched; the ones that fit are read, and told in their own words. */
export const runbooks: Rule = {
  name: 'runbooks',
  example: (situation) =>
    offers(situation, 'search_runbooks') &&
    'summarise the runbook for fibre cuts, or what does the runbook say about congestion',
  reply(situation) {
    const found = resultsOf(situation, 'search_runbooks').toReversed();
    const read = resultsOf(situation, 'read_runbook').toReversed();
    const searcher = offers(situation, 'search_runbooks');
    if (read.length > 0)
      return say(read.map((each) => told(each, read.length)).join('\n\n'), 'the runbooks are there');
    if (found.length === 0)
      return (
        searcher &&
        callAll(
          searcher,
          topicsOf(situation).map((query) => ({ query })),
          'look for the runbook that fits',
        )
      );
    const best = [...new Set(found.map(({ value }) => text(list(value, 'hits')[0], 'runbook')))].filter(
      (id) => id !== '',
    );
    const reader = offers(situation, 'read_runbook');
    if (reader && best.length > 0 && (isWhole(situation) || failuresIn(situation).length > 0))
      return callAll(
        reader,
        best.map((runbook) => ({ runbook })),
        `read ${joined(best)}`,
      );
    return say(
      found.map((each) => (each.isOk ? quoted(each.value) : each.error)).join('\n\n'),
      'passages were found',
    );
  },
};

function isWhole(situation: Situation): boolean {
  return /\b(?:summar|overview|whole)/i.test(asked(situation));
}

function told({ isOk, value, error }: Result, count: number): string {
  return isOk ? summaryOf(value, count > 1 ? 5 : 10) : `The runbook cannot be read: ${error}`;
}

function callAll(
  tool: OfferedTool,
  given: readonly { readonly [key: string]: string }[],
  why: string,
): Reply {
  return { text: '', calls: given.map((each) => ({ tool: tool.fullName, arguments: each })), why };
}

/** Old tickets are searched by link, by site and by words. */
export const tickets: Rule = {
  name: 'tickets',
  example: (situation) =>
    offers(situation, 'search_tickets') &&
    'has LINK-SYD-MEL-FIBRE-01 failed before, or which tickets are about Perth',
  reply(situation): Reply | undefined {
    const [found] = resultsOf(situation, 'search_tickets');
    const tool = offers(situation, 'search_tickets');
    const question = asked(situation);
    const link = linkIn(question);
    const site = link === undefined ? placeIn(question, situation) : undefined;
    const query = wordsIn(situation) || (link ?? site ?? question.trim());
    if (!found)
      return (
        tool &&
        call(tool, { query, ...(link && { link }), ...(site && { site }) }, 'look for tickets that fit')
      );
    if (!found.isOk) return say(`The tickets cannot be searched: ${found.error}`, 'the search failed');
    return say(quoted(found.value), 'tickets were found');
  },
};

const idle = new Set(
  stems(
    'has have runbook runbooks summarise summary ticket tickets services service risk look found failure do which what does say failed before link site',
  ),
);

/** Kinds of failures that others have found, those that are down first. */
function failuresIn({ question }: Situation): string[] {
  const results = question
    .split(/\n\nResult of .+:\n/)
    .slice(1)
    .join('\n');
  const kinds =
    'fibre cut|fibre degradation|subsea fault|microwave fade|congestion|power failure|router failure';
  const down = [...results.matchAll(new RegExp(`\\bdown[^()]{0,4}\\b(${kinds})\\b`, 'gi'))];
  const any = [...results.matchAll(new RegExp(`\\b(${kinds})\\b`, 'gi'))];
  return [...new Set([...down, ...any].map(([, kind = '']) => kind.toLowerCase()))];
}

/** What to look for: the words of the message, or else the failures. */
function topicsOf(situation: Situation): string[] {
  const failures = failuresIn(situation).slice(0, 2);
  const words = wordsIn(situation);
  // Whoever coordinates may say that it is about what others found, and not about the words of the message.
  const isAboutFound = /\bthat was found\b/i.test(asked(situation));
  if (failures.length > 0 && (words === '' || isAboutFound)) return failures;
  return [words === '' ? asked(situation).trim() : words];
}

function wordsIn(situation: Situation): string {
  const words =
    asked(situation)
      .replaceAll(/\bLINK[-\w]+/gi, ' ')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const meant = words.filter((word) => {
    const [stem] = stems(word);
    return stem !== undefined && !idle.has(stem);
  });
  return [...new Set(meant)].join(' ');
}

function summaryOf(runbook: Json, most: number): string {
  const { title, quotes, of } = summarise(text(runbook, 'text'), [], most);
  const points = quotes.map(({ text: sentence, section }, i) => {
    const isNew = section !== '' && section !== title && section !== quotes[i - 1]?.section;
    return `- ${isNew ? `*${section}*: ` : ''}“${sentence}”`;
  });
  return `**${title}** says, in ${quotes.length} of its ${of} sentences, word for word:\n\n${points.join('\n')}`;
}

function quoted(value: Json): string {
  const finding = text(value, 'finding');
  const hits = list(value, 'hits');
  if (hits.length === 0) return finding === '' ? 'Nothing was found about that.' : finding;
  const points = hits.slice(0, 4).map((hit) => `- ${text(hit, 'title')}: “${text(hit, 'quote')}”`);
  return `${finding}\n\n${points.join('\n')}`.trim();
}
