import { beforeAll, expect, test, vi } from 'vitest';
import { fakeSink } from '../../../test/fake-sink.ts';
import { appWith, idsIn, serving, shareServing, textAt, type Serving } from '../../../test/serving.ts';
import { streamViewer } from '../../../test/stream.ts';
import { sessionStreamRoutes } from './session-stream.ts';

const secret = 'sk-very-secret-0123456789';
const held = Promise.withResolvers<void>();
let at: Serving;
let session: string;
let whole: string;

/** A session of three turns, each with much to tell, and the secret in all of them. */
beforeAll(() =>
  shareServing(async () => {
    vi.stubEnv('SESSION_TEST_SECRET', secret);
    const noc = appWith(async (scope, text) => {
      for (let i = 0; i < 300; i += 1) scope.notice('SAID', `${i} ${'x'.repeat(600)}`);
      if (text === 'hold') await held.promise;
      return `${text} ${secret}`;
    }, 'noc');
    const models = {
      m: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key: { env: 'SESSION_TEST_SECRET' } },
    };
    at = await serving({ config: { models, apps: { noc } } });
    const begun = await at.ask('/api/sessions', { json: { scenario: 's', alert_text: 'one' } });
    session = textAt(begun, 'session_id');
    for (const text of ['two', 'three']) {
      await at.ask(`/api/sessions/${session}/stream`);
      const asked = await at.ask(`/api/sessions/${session}/message`, { json: { text } });
      expect(asked.status).toBe(200);
    }
    await at.ask(`/api/sessions/${session}/stream`);
    ({ text: whole } = await at.ask(`/api/sessions/${session}/stream`));
  }),
);

/** The stream as the route gives it, on a connection in the hands of the test. */
async function watched(since: number) {
  const sink = fakeSink();
  sink.stall();
  const [route] = sessionStreamRoutes;
  const reply = await route?.answer({
    context: at.server.context,
    caller: { tenant: 'local', who: 'local', role: 'operator' },
    source: { address: '127.0.0.1', isTls: false, prefix: '' },
    params: { conversation: session },
    query: { since: String(since) },
    body: undefined,
    header: () => undefined,
    heavy: async () => {},
    left: () => new AbortController().signal,
  });
  reply?.stream?.(sink);
  return sink;
}

test('a session has all its turns, numbered through, and one who has had some gets the rest', async () => {
  expect(idsIn(whole)).toEqual(idsIn(whole).map((_, i) => i + 1));
  expect(whole.match(/^event: done$/gm)).toHaveLength(1);
  const count = idsIn(whole).length;
  for (const since of [1, Math.floor(count / 3), Math.floor(count / 2), count - 1]) {
    const { text } = await at.ask(`/api/sessions/${session}/stream?since=${since}`);
    expect(whole.endsWith(text)).toBe(true);
    expect(idsIn(text)[0]).toBe(since + 1);
  }
});

test('[V260] who opens it again while a follow-up is under way begins with that, and says so to have all', async () => {
  const begun = await at.ask('/api/sessions', { json: { scenario: 's', alert_text: 'first' } });
  const path = `/api/sessions/${textAt(begun, 'session_id')}`;
  const { text: first } = await at.ask(`${path}/stream`);
  await at.ask(`${path}/message`, { json: { text: 'hold' } });
  const told = async (query: string): Promise<string> => {
    const viewer = streamViewer({ url: at.url, path: `${path}/stream${query}` });
    await viewer.until((body) => body.includes('299 x'));
    viewer.socket.destroy();
    return viewer.body;
  };
  const again = await told('');
  expect(idsIn(again)[0]).toBe(idsIn(first).length + 1);
  expect(again).toContain('event: user_message');
  expect(idsIn(await told('?since=0'))[0]).toBe(1);
  held.resolve();
  const { text: whole } = await at.ask(`${path}/stream?since=0`);
  expect((await at.ask(`${path}/stream`)).text).toBe(whole);
});

test('[S35] no secret is told, neither of this turn nor of those before', () => {
  expect(whole).toContain('three');
  expect(whole).not.toContain(secret);
});

test.for([0, 350])(
  '[L11] one who takes nothing holds a bounded part of a long past (since %i)',
  async (since) => {
    const sink = await watched(since);
    await vi.waitFor(() => expect(sink.writes).toBe(1));
    while (sink.ending === 'open') {
      expect(sink.held()).toBeLessThan(100_000);
      const before = sink.writes;
      sink.drain();
      sink.stall();
      await vi.waitFor(() => expect(sink.writes > before || sink.ending !== 'open').toBe(true));
    }
    const { text } = await at.ask(`/api/sessions/${session}/stream?since=${since}`);
    expect(sink.ending).toBe('ended');
    expect(sink.text).toBe(text);
  },
);

test('one who leaves in the middle of the past is gone from all of it', async () => {
  const sink = await watched(0);
  await vi.waitFor(() => expect(sink.writes).toBe(1));
  sink.leave();
  sink.drain();
  await vi.waitFor(() => expect(at.server.context.channels.count().viewers).toBe(0));
  expect(sink.writes).toBe(1);
});
