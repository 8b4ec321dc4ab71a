import { beforeAll, expect, test } from 'vitest';
import {
  appWith,
  idsIn,
  serving,
  shareServing,
  textAt,
  untilAnswer,
  type Answered,
  type Serving,
} from '../../../test/serving.ts';
import { streamViewer } from '../../../test/stream.ts';

let at: Serving;
const gate = { open: Promise.withResolvers<void>() };

beforeAll(() =>
  shareServing(async () => {
    const noc = appWith(async (scope, text) => {
      await scope.step(
        { key: 'a', title: 'Graph', kind: 'call', agent: 'GraphExplorerAgent', query: text },
        async (step) => {
          step.say(`${text} is down`);
        },
      );
      if (text === 'wait')
        await scope.step(
          { key: 'b', title: 'TelemetryAgent', kind: 'agent', agent: 'telemetry', query: 'cpu' },
          () => gate.open.promise,
        );
      return `because of ${text}`;
    }, 'noc');
    at = await serving({ config: { apps: { noc }, server: { quotas: { sessions: 2 } } } });
  }),
);

async function opened(text: string): Promise<string> {
  const answer = await at.ask('/api/sessions', { json: { scenario: 'telco', alert_text: text } });
  expect(answer.status).toBe(200);
  return textAt(answer, 'session_id');
}

function session(id: string): Promise<Answered> {
  return at.ask(`/api/sessions/${id}`);
}

async function over(id: string): Promise<Answered> {
  return untilAnswer(
    () => session(id),
    ({ text }) => !text.includes('"status":"in_progress","step_count"'),
  );
}

test('an investigation is begun, listed, and has its diagnosis in the end', async () => {
  const id = await opened('link');
  const { text } = await at.ask(`/api/sessions/${id}/stream`);
  expect(text).toMatch(/^event: run_start\nid: 1\n/);
  expect(text.trimEnd().split('\n\n').at(-1)).toBe('event: done\ndata: {"status":"completed"}');
  expect(idsIn(text)).toEqual(idsIn(text).map((_, i) => i + 1));
  expect((await session(id)).json).toMatchObject({
    id,
    scenario: 'telco',
    alert_text: 'link',
    status: 'completed',
    diagnosis: 'because of link',
    thread_id: id,
    turn_count: 1,
    step_count: 1,
    error_detail: '',
    run_meta: { steps: expect.any(Number), tokens: 0, time: expect.stringMatching(/^\d+\.\ds$/) },
  });
  const list = await at.ask('/api/sessions?scenario=telco');
  expect(list.json).toMatchObject({
    sessions: expect.arrayContaining([expect.objectContaining({ id, step_count: 1 })]),
  });
  expect((await at.ask('/api/sessions?limit=1')).json).toMatchObject({ sessions: { length: 1 } });
  expect((await at.ask('/api/sessions?scenario=other')).json).toEqual({ sessions: [] });
});

test('the alert is whole in the session and short in the list', async () => {
  const alert = `link ${'x'.repeat(50_000)}`;
  const id = await opened(alert);
  await at.ask(`/api/sessions/${id}/stream`);
  expect((await session(id)).json).toMatchObject({ alert_text: alert });
  expect((await at.ask('/api/sessions')).text).toContain(`"alert_text":"${alert.slice(0, 100)}"`);
});

test('a scenario is found however many others are newer', async () => {
  const own = await serving({ config: { apps: { quick: appWith(async () => 'x', 'quick') } } });
  const begin = async (scenario: string): Promise<string> => {
    const json = { scenario, alert_text: 'a' };
    const id = textAt(await own.ask('/api/sessions', { json }), 'session_id');
    await own.ask(`/api/sessions/${id}/stream`);
    return id;
  };
  const rare = await begin('rare');
  for (let i = 0; i < 101; i += 1) await begin('common');
  expect((await own.ask('/api/sessions?scenario=rare')).json).toMatchObject({ sessions: [{ id: rare }] });
  expect((await own.ask('/api/sessions')).json).toMatchObject({ sessions: { length: 100 } });
});

test('the stream goes on from any number of events, over all turns', async () => {
  const id = await opened('one');
  const { text: first } = await at.ask(`/api/sessions/${id}/stream`);
  const asked = await at.ask(`/api/sessions/${id}/message`, { json: { text: 'two' } });
  const { text: whole } = await at.ask(`/api/sessions/${id}/stream?since=0`);
  const end = 'event: done\ndata: {"status":"completed"}\n\n';
  expect(first.endsWith(end)).toBe(true);
  expect(whole.startsWith(first.slice(0, -end.length))).toBe(true);
  expect(whole.match(/^event: done$/gm)).toHaveLength(1);
  expect(asked.json).toEqual({ status: 'processing', turn: 2, event_offset: idsIn(first).length });
  const count = idsIn(whole).length;
  for (let since = 0; since < count; since += 1) {
    const { text } = await at.ask(`/api/sessions/${id}/stream?since=${since}`);
    expect(idsIn(text)[0]).toBe(since + 1);
    expect(whole.endsWith(text)).toBe(true);
  }
  expect((await at.ask(`/api/sessions/${id}/stream?since=${count}`)).text).toBe(end);
  expect(
    (await at.ask(`/api/sessions/${id}/stream`, { headers: { 'last-event-id': `${count}` } })).status,
  ).toBe(204);
  expect((await at.ask(`/api/sessions/${id}/stream?since=${count + 1}`)).status).toBe(409);
  const numbers = [...whole.matchAll(/event: step_started\nid: \d+\ndata: \{"step":(\d+)/g)].map(
    ([, number]) => Number(number),
  );
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  const log = await session(id);
  expect(log.json).toMatchObject({ turn_count: 2, event_log: expect.objectContaining({ length: count }) });
});

test('[V326] a turn that was stopped before it said anything leaves the diagnosis of the turn before', async () => {
  const id = await opened('one');
  for (const text of ['two', 'wait']) {
    await over(id);
    expect((await at.ask(`/api/sessions/${id}/message`, { json: { text } })).status).toBe(200);
  }
  const known = { diagnosis: 'because of two', turn_count: 3 };
  expect((await session(id)).json).toMatchObject({ ...known, status: 'in_progress', run_meta: null });
  await at.ask(`/api/sessions/${id}/cancel`, { json: {} });
  expect((await over(id)).json).toMatchObject({ ...known, status: 'cancelled' });
});

test('steps under way are shown, a second question waits its turn, and cancel works at once', async () => {
  const id = await opened('wait');
  const viewer = streamViewer({ url: at.url, path: `/api/sessions/${id}/stream` });
  await viewer.until((body) => body.includes('TelemetryAgent'));
  const pending = await session(id);
  expect(pending.json).toMatchObject({ status: 'in_progress', diagnosis: '', run_meta: null });
  expect(pending.text).toContain('"agent":"TelemetryAgent","status":"in_progress"');
  const early = await at.ask(`/api/sessions/${id}/message`, { json: { text: 'more' } });
  expect(early.status).toBe(409);
  const other = await opened('wait');
  const third = await at.ask('/api/sessions', { json: { scenario: 'telco', alert_text: 'x' } });
  expect(third.status).toBe(429);
  expect((await at.ask(`/api/sessions/${id}/cancel`, { json: {} })).json).toEqual({ status: 'cancelling' });
  await viewer.closed;
  expect(viewer.body).toContain('event: done');
  expect((await session(id)).json).toMatchObject({ status: 'cancelled' });
  const again = await at.ask(`/api/sessions/${id}/cancel`, { json: {} });
  expect(again.json).toEqual({ status: 'cancelled', message: 'Not running' });
  expect((await at.ask(`/api/sessions/${id}`, { method: 'DELETE' })).json).toEqual({ deleted: id });
  expect((await session(id)).status).toBe(404);
  gate.open.resolve();
  await over(other);
});
