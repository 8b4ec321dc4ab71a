import { expect, onTestFinished, test } from 'vitest';
import {
  appWith,
  serving,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Answered,
  type Serving,
} from '../../test/serving.ts';
import { toolOf } from '../../test/world.ts';
import { memoryStore } from '../stores/memory.ts';
import { openFolder, openWorker } from './compose/compose.ts';

const stuck = toolOf('stuck', (_, { signal }) => {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));
});
const asks = appWith(async (scope) => (await scope.ask({ title: 'Go on?' })).decision, 'asks');
const works = appWith(async (scope) => (await scope.call('stuck', {})).outcome, 'works');
const config = { tools: [stuck], apps: { asks, works }, defaultApp: 'asks' };

/** A server that works on nothing and a worker that serves nothing, over one store. */
async function halves(): Promise<{ readonly at: Serving; readonly hire: () => Promise<void> }> {
  const store = memoryStore({ now: () => Date.now() });
  const at = await serving({ config, store, works: false });
  return {
    at,
    async hire() {
      const worker = await openWorker({ data: temporaryFolder(), config, store });
      onTestFinished(() => worker.close());
    },
  };
}

function until(at: Serving, run: string, status: string): Promise<Answered> {
  return untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    (answer) => textAt(answer, 'status') === status,
  );
}

async function begin(at: Serving, app: string): Promise<{ run: string; conversation: string }> {
  const begun = await at.ask('/api/runs', { json: { app, input: { text: 'x' } } });
  return { run: textAt(begun, 'run'), conversation: textAt(begun, 'conversation') };
}

test('[V182] what is started, approved and followed at a server is worked on elsewhere', async () => {
  const { at, hire } = await halves();
  const { run } = await begin(at, 'asks');
  expect((await at.ask(`/api/runs/${run}`)).json).toMatchObject({ status: 'running', steps: [] });
  const followed = at.ask(`/api/runs/${run}/events`);
  await hire();
  await until(at, run, 'waiting');
  const { approvals } = (await at.ask('/api/approvals')).json as {
    approvals: { id: string; fingerprint: string }[];
  };
  const { id, fingerprint } = approvals[0] ?? { id: '' };
  const decided = await at.ask(`/api/approvals/${id}`, { json: { decision: 'approve', fingerprint } });
  expect([decided.status, textAt(decided, 'decision')]).toEqual([200, 'approve']);
  const { text } = await followed;
  for (const event of ['worker.took', 'approval.requested', 'approval.decided', 'run.ended'])
    expect(text).toContain(`"type":"${event}"`);
});

test('[V182] what works elsewhere is paused, stopped and erased at a server', async () => {
  const { at, hire } = await halves();
  await hire();
  const { run, conversation } = await begin(at, 'works');
  const paused = await at.ask(`/api/runs/${run}/pause`, { json: {} });
  expect([paused.status, paused.json]).toEqual([200, { run, seq: expect.any(Number), changed: true }]);
  expect((await at.ask(`/api/runs/${run}/stop`, { json: {} })).status).toBe(200);
  await until(at, run, 'stopped');
  expect((await at.ask(`/api/conversations/${conversation}`, { method: 'DELETE' })).status).toBe(204);
  expect((await at.ask(`/api/runs/${run}`)).status).toBe(404);
});

test('[V183] a data folder has no halves', async () => {
  const data = temporaryFolder();
  await expect(openWorker({ data })).rejects.toThrow('To work without serving takes a store');
  const opened = await openFolder({ data, takes: 'nothing' }).catch(String);
  if (typeof opened !== 'string') await opened.close();
  expect(opened).toContain('To serve without working takes a store that processes share');
});
