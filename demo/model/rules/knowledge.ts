import { list, text, type Json } from '../json.ts';
import { placeIn } from '../place-words.ts';
import { asked, call, offers, resultsOf, say, type Reply, type Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { summarise } from '../summary.ts';
import { linkIn } from '../topics.ts';
import { stems } from '../words.ts';

/** Runbooks are searched; a summary is made of the one that fits best, in its own words. */
export const runbooks: Rule = {
  name: 'runbooks',
  example: (situation) =>
    offers(situation, 'search_runbooks') &&
    'summarise the runbook for fibre cuts, or what does the runbook say about congestion',
  reply(situation) {
    const [found] = resultsOf(situation, 'search_runbooks');
    const [read] = resultsOf(situation, 'read_runbook');
    const searcher = offers(situation, 'search_runbooks');
    if (read)
      return read.isOk
        ? say(summaryOf(read.value), 'the runbook is there')
        : say(`The runbook cannot be read: ${read.error}`, 'reading failed');
    if (!found)
      return searcher && call(searcher, { query: topicOf(situation) }, 'look for the runbook that fits');
    if (!found.isOk) return say(`The runbooks cannot be searched: ${found.error}`, 'the search failed');
    const hits = list(found.value, 'hits');
    const reader = offers(situation, 'read_runbook');
    const runbook = text(hits[0], 'runbook');
    if (reader && runbook !== '' && /\bsummar|overview|whole\b/i.test(asked(situation)))
      return call(reader, { runbook }, `${runbook} fits best, so read it`);
    return say(quoted(found.value, hits), 'passages were found');
  },
};

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
    const query = topicOf(situation);
    if (!found)
      return (
        tool &&
        call(tool, { query, ...(link && { link }), ...(site && { site }) }, 'look for tickets that fit')
      );
    if (!found.isOk) return say(`The tickets cannot be searched: ${found.error}`, 'the search failed');
    return say(quoted(found.value, list(found.value, 'hits')), 'tickets were found');
  },
};

const idle = new Set(
  stems(
    'runbook runbooks summarise summary ticket tickets services service risk look found failure do which what does say failed before link site',
  ),
);

/** What to look for: the words of the message, and the kind of failure that others have found. */
function topicOf({ question }: Situation): string {
  const [said = '', ...results] = question.split(/\n\nResult of .+:\n/);
  const words = (said.replaceAll(/\bLINK[-\w]+/gi, ' ').match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => {
    const [stem] = stems(word);
    return stem !== undefined && !idle.has(stem);
  });
  const failures =
    results
      .join('\n')
      .match(/\b(?:fibre cut|subsea fault|microwave fade|congestion|power failure|router failure)\b/gi) ?? [];
  return (
    [...new Set([...words, ...failures.map((failure) => failure.toLowerCase())])].join(' ') || said.trim()
  );
}

function summaryOf(runbook: Json): string {
  const { title, quotes, of } = summarise(text(runbook, 'text'));
  const points = quotes.map(({ text: sentence, section }, i) => {
    const isNew = section !== '' && section !== title && section !== quotes[i - 1]?.section;
    return `- ${isNew ? `*${section}*: ` : ''}“${sentence}”`;
  });
  return `**${title}** (${text(runbook, 'runbook')}), in ${quotes.length} of its ${of} sentences, word for word:\n\n${points.join('\n')}`;
}

function quoted(value: Json, hits: readonly Json[]): string {
  const finding = text(value, 'finding');
  if (hits.length === 0) return finding === '' ? 'Nothing was found about that.' : finding;
  const points = hits
    .slice(0, 4)
    .map((hit, i) => `- ${text(hit, 'title')}: “${text(hit, 'quote')}” [${i + 1}]`);
  return `${finding}\n\n${points.join('\n')}`.trim();
}
