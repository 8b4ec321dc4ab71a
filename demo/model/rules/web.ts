import { field, number, text } from '../json.ts';
import { boardIn } from './duty-desk.ts';
import { asked, call, offers, resultsOf, say, type Rule } from '../rule.ts';

/** Addresses that somebody wants to be fetched. */
export const web: Rule = {
  name: 'web',
  // Where a notice board is named, nothing else can be reached.
  example: (situation) =>
    boardIn(situation) === undefined && offers(situation, 'http_get')
      ? 'fetch https://example.com/'
      : undefined,
  reply(situation) {
    const [got] = resultsOf(situation, 'http_get');
    const url = /https?:\/\/[^\s<>"'”]+[^\s<>"'”.,;!?)]/.exec(asked(situation))?.[0];
    if (url === undefined) return undefined;
    const tool = offers(situation, 'http_get');
    if (!got) return tool && call(tool, { url }, `fetch ${url}`);
    if (!got.isOk) return say(`${url} cannot be fetched: ${got.error}`, 'fetching failed');
    const body = field(got.value, 'body') ?? field(got.value, 'text') ?? field(got.value, 'json') ?? null;
    const shown = typeof body === 'string' ? body : JSON.stringify(body);
    const kind = text(field(got.value, 'headers'), 'content-type');
    return say(
      `${url} answered ${number(got.value, 'status')}${kind === '' ? '' : ` with ${kind}`}:\n\n> ${shown.slice(0, 600).replaceAll('\n', '\n> ')}`,
      'the answer is there',
    );
  },
};
