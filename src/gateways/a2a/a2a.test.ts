import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { appWith, serving, textAt, type Serving } from '../../../test/serving.ts';
import { RunError } from '../../run/failure.ts';
import { functionTool } from '../../tools/function.ts';

const ledger: string[] = [];
let ended = 0;

const wait = functionTool({
  name: 'wait',
  description: 'Waits.',
  input: z.object({}),
  effect: 'pure',
  run: async (_, { signal }) =>
    once(signal, 'abort')
      .then(() => void (ended += 1))
      .then(() => 'Never.'),
});

const payer = appWith(async (scope, text) => {
  if (text.includes('wait')) return JSON.stringify(await scope.call('wait', {}));
  await scope.step({ key: 'look', title: 'Look around' }, (inner) =>
    inner.step({ key: 'deep', title: 'Look deeper' }, async () => 'found'),
  );
  const { decision } = await scope.ask({ key: 'pay', title: 'Pay', arguments: { euros: 12 } });
  if (decision !== 'approve') throw new RunError('refused', 'It must not be paid.');
  ledger.push(text);
  return `Paid for «${text}».`;
}, 'payer');

const relay = appWith(
  async (scope, text) => (await scope.turn('inner', { messages: [{ role: 'user', text }] })).text,
  'relay',
);

/** A server behind a server behind a server, the innermost first. */
async function chain(): Promise<readonly [Serving, Serving, Serving]> {
  ledger.length = 0;
  ended = 0;
  const inmost = await serving({ config: { apps: { payer }, tools: [wait] } });
  const behind = (url: string, app: string) =>
    serving({ config: { apps: { relay }, agents: { inner: { a2a: { url: `${url}/a2a/${app}/` } } } } });
  const middle = await behind(inmost.url, 'payer');
  return [inmost, middle, await behind(middle.url, 'relay')];
}

async function waiting(at: Serving, run: string): Promise<{ id: string; fingerprint: string }> {
  return vi.waitFor(
    async () => {
      const answer = await at.ask(`/api/approvals?run=${run}`);
      expect(textAt(answer, 'approvals', 0, 'title')).toBe('Pay');
      return {
        id: textAt(answer, 'approvals', 0, 'id'),
        fingerprint: textAt(answer, 'approvals', 0, 'fingerprint'),
      };
    },
    { timeout: 20_000 },
  );
}

test('[GA1] an agent behind an agent: its steps are mirrored with their parents, its question reaches the root and the answer the inmost', async () => {
  const [, , root] = await chain();
  const run = textAt(await root.ask('/api/runs', { json: { input: { text: 'tea' } } }), 'run');
  const { id, fingerprint } = await waiting(root, run);
  expect(ledger).toEqual([]);
  const said = await root.ask(`/api/approvals/${id}`, { json: { decision: 'approve', fingerprint } });
  expect(said).toMatchObject({ status: 200 });
  const tree = await vi.waitFor(
    async () => {
      const { json } = await root.ask(`/api/runs/${run}`);
      expect(json).toMatchObject({ status: 'completed', answer: 'Paid for «tea».' });
      return json as { steps: { id: number; parent: number; title: string }[] };
    },
    { timeout: 20_000 },
  );
  expect(ledger).toEqual(['tea']);
  const titled = (title: string) => tree.steps.find((step) => step.title === title) ?? expect.fail(title);
  expect(titled('Look deeper').parent).toBe(titled('Look around').id);
});

test('[GA2] who rejects at the root rejects at the inmost', async () => {
  const [, , root] = await chain();
  const run = textAt(await root.ask('/api/runs', { json: { input: { text: 'tea' } } }), 'run');
  const { id } = await waiting(root, run);
  await root.ask(`/api/approvals/${id}`, { json: { decision: 'reject' } });
  await vi.waitFor(
    async () => expect((await root.ask(`/api/runs/${run}`)).json).toMatchObject({ status: 'failed' }),
    { timeout: 20_000 },
  );
  expect(ledger).toEqual([]);
});

test('[GA3] a stop at the root stops the inmost', async () => {
  const [inmost, , root] = await chain();
  const run = textAt(await root.ask('/api/runs', { json: { input: { text: 'wait' } } }), 'run');
  const working = async () =>
    expect((await inmost.ask('/api/runs')).json).toMatchObject({ runs: [{ status: 'running' }] });
  await vi.waitFor(working, { timeout: 20_000 });
  await root.ask(`/api/runs/${run}/stop`, { json: {} });
  await vi.waitFor(
    async () => expect((await inmost.ask('/api/runs')).json).toMatchObject({ runs: [{ status: 'stopped' }] }),
    { timeout: 20_000 },
  );
  expect(ended).toBe(1);
});
