import { asksToPost } from '../../duty-desk/posting.ts';
import { field, list, number, text, type Json } from '../json.ts';
import { placeIn } from '../place-words.ts';
import { asked, call, earlierResultsOf, offers, resultsOf, say, type Reply, type Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { overlap, plural, stems } from '../words.ts';
import { findings } from './network.ts';

/** Who is on call, asked of the roster. “And next week?” is about the site before. */
export const roster: Rule = {
  name: 'roster',
  example: (situation) => offers(situation, 'who_is_on_call') && 'who is on call in Melbourne, and next week',
  reply(situation) {
    const found = findings(situation, ['who_is_on_call']);
    if (found) return found;
    const question = asked(situation);
    const tool = offers(situation, 'who_is_on_call');
    const [before] = earlierResultsOf(situation, 'who_is_on_call');
    const isWeek = /\bweek\b/i.test(question);
    if (!tool || !(/\b(?:on (?:call|duty)|roster)\b/i.test(question) || (before && isWeek))) return undefined;
    const site = placeIn(question, situation) ?? text(before?.given, 'site');
    if (site === '') return say('Tell me for which site, such as Melbourne.', 'no site was named');
    const week = /\bafter next\b/i.test(question)
      ? 'after next'
      : /\bnext\b/i.test(question)
        ? 'next'
        : 'this';
    return call(tool, { site, week }, `ask the roster who is on call for ${site}`);
  },
};

/** Spare parts, asked of the stores. */
export const spares: Rule = {
  name: 'spares',
  example: (situation) => offers(situation, 'find_spares') && 'do we have spare optics in Perth',
  reply(situation) {
    const found = findings(situation, ['find_spares']);
    if (found) return found;
    const question = asked(situation);
    const tool = offers(situation, 'find_spares');
    if (!tool || !/\b(?:spares?|stock|stores?)\b/i.test(question)) return undefined;
    const site = placeIn(question, situation);
    const kinds = list(field(field(tool.schema, 'properties'), 'part'), 'enum').map(String);
    const part = kinds.find((kind) => overlap(stems(question), kind) > 0);
    const wanted = { ...(part === undefined ? {} : { part }), ...(site === undefined ? {} : { site }) };
    return call(tool, wanted, 'look into the stores');
  },
};

/** The notice board is a page like any other: it is fetched, and what is put up is sent. */
export const notices: Rule = {
  name: 'notices',
  example: (situation) =>
    boardIn(situation) &&
    'which notices are there for Perth, or post a notice for Perth: the lift is out of order',
  reply(situation) {
    const question = asked(situation);
    const board = boardIn(situation);
    if (board === undefined || !/\b(?:notices?|planned (?:works?|maintenance))\b/i.test(question))
      return undefined;
    const site = placeIn(question, situation);
    if (asksToPost(question)) return post(situation, { board, site });
    const [got] = resultsOf(situation, 'http_get');
    const tool = offers(situation, 'http_get');
    const url = site === undefined ? board : `${board}?site=${site}`;
    if (!got) return tool && call(tool, { url }, 'look at the notice board');
    if (!got.isOk) return say(`The notice board cannot be read: ${got.error}`, 'fetching failed');
    return say(told(field(got.value, 'body') ?? null), 'the notice board answered');
  },
};

/** Where the instructions say the notice board is. */
export function boardIn({ system }: Situation): string | undefined {
  return /\bnotice board is at (https?:\/\/[^\s)]+)/i.exec(system)?.[1];
}

interface Posting {
  readonly board: string;
  readonly site: string | undefined;
}

function post(situation: Situation, { board, site }: Posting): Reply | undefined {
  const [sent] = resultsOf(situation, 'http_send');
  if (sent && !sent.isOk) return say(`The notice was not put up: ${sent.error}`, 'sending failed');
  if (sent) {
    const kept = field(sent.value, 'body') ?? null;
    const isUp = number(sent.value, 'status') === 201;
    return isUp
      ? say(
          `Notice **${text(kept, 'id')}** is up for ${text(kept, 'site')}: “${text(kept, 'text')}”`,
          'it is up',
        )
      : say(`The notice was not put up: ${text(field(kept, 'error'), 'message')}`, 'the board refused');
  }
  const words = /:\s*(\S[\s\S]*)$/.exec(asked(situation))?.[1]?.trim();
  if (site === undefined || words === undefined)
    return say(
      'Say it like this: “Post a notice for Perth: the lift is out of order”.',
      'it is not complete',
    );
  const tool = offers(situation, 'http_send');
  return tool && call(tool, { url: board, method: 'POST', json: { site, text: words } }, 'put it up');
}

function told(page: Json): string {
  const failure = text(field(page, 'error'), 'message');
  if (failure !== '') return failure;
  const all = list(page, 'notices');
  if (all.length === 0) return 'There are no notices.';
  const lines = all.map(
    (each) =>
      `- **${text(each, 'id')}**, ${text(each, 'site')}, ${text(each, 'when')}: ${text(each, 'text')}`,
  );
  return `The notice board has ${plural(all.length, 'notice')}:\n\n${lines.join('\n')}`;
}
