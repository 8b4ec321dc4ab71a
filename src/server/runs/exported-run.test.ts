import { expect, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import { frames } from '../../../test/chat-frames.ts';
import { appWith, keyIn, serving, temporaryFolder } from '../../../test/serving.ts';
import { openUpstream, sse } from '../../../test/upstream.ts';
import { exportedName } from './exported-run.ts';

const secret = 'canary-7c1f9d2e-"quoted"';

test('[EX5] only whoever may see a run gets it, without secrets, and with nothing that ends a script', async () => {
  process.env['EXPORT_SECRET'] = secret;
  const data = temporaryFolder();
  const mine = keyIn(data, { name: 'ana', tenant: 'acme' });
  const theirs = keyIn(data, { name: 'eve', tenant: 'evil' });
  const model = { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', key: { env: 'EXPORT_SECRET' } };
  const says = appWith(async (scope) => {
    await scope.step({ key: 's', title: `</script><script>${secret}` }, async (step) => {
      for (const piece of secret) step.say(piece);
    });
    return `${secret}${' long'.repeat(30_000)}`;
  }, 'says');
  const at = await serving({
    data,
    config: { auth: { required: true }, models: { m: model }, apps: { says } },
  });
  const client = vitrineClient({ url: at.url, key: mine });
  const { run } = await client.start({ text: secret });
  const address = `/api/runs/${run}/export`;
  await Array.fromAsync(client.follow(run));
  const { text, headers } = await at.ask(address, { key: mine });
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(text).not.toContain('canary-7c1f9d2e');
  expect(text).not.toContain('</script><script>');
  expect(text).toMatch(/data-kept="[0-9a-f]{64}"/);
  expect((await at.ask(address, { key: theirs })).status).toBe(404);
  expect((await at.ask(address)).status).toBe(401);
});

test('[EX2] the name of the file is a name, whoever named the run', () => {
  expect(exportedName('run_1a')).toBe('run_1a.html');
  expect(exportedName('../../x/"y')).toBe('______x__y.html');
});

test('[CO1] [CO3] a turn is recorded with its cost, and so are its run and the lists; a fallback has none', async () => {
  const upstream = await openUpstream();
  const answer = [
    sse,
    { send: frames.text('hi') + frames.finish() + frames.usage(1_000, 200) },
    'end',
  ] as const;
  const isOther = (body: unknown): boolean => (body as { model: string }).model === 'other';
  upstream.answer(answer, answer, ({ body }) => (isOther(body) ? answer : [{ head: 503 }, 'end']));
  const prices = { input: 3, output: 15 };
  const flow = appWith(
    async (scope, text) => (await scope.turn('it', { messages: [{ role: 'user', text }] })).text,
  );
  const at = await serving({
    config: {
      models: { m: { baseUrl: upstream.url, model: 'm', fallbacks: ['other'], prices } },
      agents: { it: { description: '', model: 'm' } },
      apps: { flow },
    },
  });
  const client = vitrineClient({ url: at.url });
  const costs = [];
  for (const text of ['one', 'two', 'falls back']) {
    const { run } = await client.start({ text });
    const trees = await Array.fromAsync(client.follow(run));
    const { usage, steps } = trees.at(-1) ?? { usage: undefined, steps: [] };
    const listed = (await client.runs()).runs.find((one) => one.run === run)?.tokens?.cost;
    costs.push([steps[0]?.usage?.cost, usage?.cost, listed]);
  }
  await upstream.close();
  const each = [0.006, 0.006, 0.006];
  expect(costs.slice(0, 2)).toEqual([each, each]);
  expect(costs[2]).toEqual([undefined, undefined, undefined]);
});
