import { expect, test } from 'vitest';
import { openUpstream, type Act } from '../../test/upstream.ts';
import { stopped } from '../run/stopped.ts';
import { agUiGateway } from './ag-ui/ag-ui.ts';
import { dialGateway } from './dial/dial.ts';
import type { Gateway, Turn } from './gateway.ts';

const turn: Turn = { messages: [{ role: 'user', text: 'hi' }], idempotencyKey: 'k', conversation: 'c' };

const kinds: readonly { name: string; made: (url: string) => Gateway; door: RegExp }[] = [
  { name: 'ag-ui', made: (url) => agUiGateway({ name: 'a', url }), door: /\/stop$/ },
  {
    name: 'dial',
    made: (baseUrl) => dialGateway({ baseUrl, deployment: 'd', key: 'secret-1' }),
    door: /\/api\/runs\/run_1\/stop$/,
  },
];

/** What an agent hears after a stop that came before it had said a word. */
async function heard(made: (url: string) => Gateway, headers: Record<string, string>, reason: unknown) {
  const upstream = await openUpstream();
  const goes = Promise.withResolvers<void>();
  const head: Act = { head: 200, headers: { 'content-type': 'text/event-stream', ...headers } };
  upstream.answer([{ until: goes.promise }, head, { send: ': \n\n' }, 'hang'], [{ head: 204 }, 'end']);
  const gateway = made(upstream.url);
  const leaving = new AbortController();
  const telling = gateway.takeTurn(turn, leaving.signal);
  const told = telling[Symbol.asyncIterator]().next();
  const { left } = await upstream.request(0);
  leaving.abort(reason);
  await expect(told).rejects.toBe(reason);
  const token = Promise.resolve(telling.token?.());
  goes.resolve();
  const known = await token;
  if (known !== undefined && known !== null) await gateway.cancel?.(known, new AbortController().signal);
  await left;
  const paths = upstream.requests.map(({ path }) => path);
  await upstream.close();
  return paths;
}

test.for(kinds)('[PR42] $name: a stop before the first word reaches a Vitrine', async ({ made, door }) => {
  const paths = await heard(made, { 'x-run-id': 'run_1' }, stopped);
  expect(paths).toEqual([expect.any(String), expect.stringMatching(door)]);
});

test.for(kinds)('[PR42] $name: to anybody else only the connection ends', async ({ made }) => {
  expect(await heard(made, {}, stopped)).toHaveLength(1);
});

test.for(kinds)('[PR42] $name: a process that goes away stops nobody', async ({ made }) => {
  const gone = new DOMException('Gone', 'AbortError');
  expect(await heard(made, { 'x-run-id': 'run_1' }, gone)).toHaveLength(1);
});
