// What the workflow platform's own implementation did wrong, each by its name: it is done right here.
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { Agent } from '../../src/catalog/agent.ts';
import type { AgentEvent } from '../../src/gateways/gateway.ts';
import type { FlatMessage } from '../../src/wire/a2ui.ts';
import { begunIn, framesIn, listenTo, watchChat, type Watched } from '../application-stream.ts';
import { askBack, desksConfig, planOf, planStep } from '../pipeline.ts';
import { keyIn, serving, shareServing, temporaryFolder, textAt, type Serving } from '../serving.ts';
import { agentOf } from '../world.ts';

const survey = {
  name: 'survey',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'look', type: 'agent', agent: 'graph', title: 'Look', message: '{{input.text}}' },
    { id: 'end', type: 'end', output: 'Surveyed: {{nodes.look.output}}' },
  ],
  edges: [
    { from: 'start', to: 'look' },
    { from: 'look', to: 'end' },
  ],
};
const skills = [
  { name: 'survey', type: 'workflow', title: 'Survey', description: 'surveys links' },
  { name: 'graph', type: 'agent', title: 'Graph', description: 'knows links' },
  { name: 'books', type: 'agent', title: 'Books', description: 'knows runbooks' },
  { name: 'gated', type: 'agent', title: 'Gated', description: 'sends' },
  { name: 'talker', type: 'agent', title: 'Talker', description: 'talks', passages: false },
];
const mixed = planOf('sequential', [planStep(1, 'survey', { skill_type: 'workflow' }), planStep(2, 'graph')]);
const groups = planOf(
  'hybrid',
  [
    planStep(1, 'gated', { parallel_group: 2 }),
    planStep(2, 'graph', { parallel_group: 10, depends_on: [1] }),
    planStep(3, 'books', { depends_on: [2] }),
  ],
  { final_output_from: 'out_2' },
);
const apps = {
  mixed: { plans: [mixed], settings: { skills } },
  asks: { plans: [planOf('single', [planStep(1, 'gated')])], settings: { skills } },
  clarifies: {
    plans: [askBack('Which link?'), planOf('single', [planStep(1, 'talker')])],
    settings: { skills },
  },
  talks: { plans: [planOf('single', [planStep(1, 'talker')])], settings: { skills } },
  groups: { plans: [groups], settings: { skills } },
};

/** Says what it was told, after many stages, which come as fast as they can. */
const talker: Agent = {
  ...agentOf('talker', () => []),
  gateway: {
    async *takeTurn({ messages }): AsyncGenerator<readonly AgentEvent[]> {
      const [said = ''] = (messages.at(-1)?.text ?? '').split('\n');
      for (let i = 0; i < stagesSaid; i += 1) {
        yield [{ type: 'stage.opened', stage: `${i}`, title: `Stage ${i}` }];
        yield [{ type: 'stage.closed', stage: `${i}`, outcome: 'completed' }];
      }
      yield [{ type: 'text.appended', text: `heard ${said}` }];
    },
  },
};
const stagesSaid = 300;

let at: Serving;
let ann = '';
let ben = '';
/** Of another tenant. */
let eve = '';
beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    [ann = '', ben = ''] = ['ann', 'ben'].map((name) => keyIn(data, { name, role: 'member' }));
    eve = keyIn(data, { name: 'eve', role: 'member', tenant: 'elsewhere' });
    at = await serving({
      data,
      config: { ...desksConfig(apps, [talker]), workflows: { survey }, auth: { required: true } },
    });
  }),
);

function watch(app: keyof typeof apps, json: object, key = ann): Promise<Watched> {
  return watchChat(at.url, json, { app, headers: { authorization: `Bearer ${key}` } });
}

const asked = { message: 'Which paths?' };

test('[PL82] 1: with no socket open, the stream has the steps of workflows and agents', async () => {
  const stream = await watch('mixed', asked);
  const begun = begunIn(framesIn({ status: 200, text: await stream.rest() }));
  expect(begun).toEqual(expect.arrayContaining(['Running: Survey', 'Look', 'Running agent: Graph', 'Graph']));
});

test('[PL82] 2: whatever a skill does is of the run that the stream is about', async () => {
  const stream = await watch('mixed', { ...asked, session_id: 'two' });
  await stream.rest();
  const { json } = await at.ask('/api/applications/mixed/chat/sessions/two', { key: ann });
  expect((json as { messages: unknown[] }).messages).toHaveLength(3);
  const tree = await at.ask(`/api/runs/${stream.run}`, { key: ann });
  const { steps } = tree.json as { steps: { key: string; agent?: string; kind: string }[] };
  expect(steps.filter(({ kind, agent }) => kind === 'turn' && agent === 'graph')).toHaveLength(2);
  expect(steps.map(({ key }) => key)).toEqual(expect.arrayContaining(['look', 'skill_1', 'skill_2']));
});

test('[PL82] 3: all frames are of one form, about one surface, and no list loses its stages', async () => {
  const stream = await watch('mixed', asked);
  const text = await stream.rest();
  const frames = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as FlatMessage);
  expect(new Set(frames.map(({ surfaceId }) => surfaceId))).toEqual(new Set([`exec_${stream.run}`]));
  const heads = framesIn({ status: 200, text }).flatMap(({ steps }) =>
    steps ? [steps.filter(({ id }) => /^step_[a-z]/.test(id)).length] : [],
  );
  expect(heads.length).toBeGreaterThan(20);
  expect(Math.min(...heads)).toBe(6);
  expect(heads.at(-1)).toBe(7);
});

test('[PL82] 4: whoever reads late or slowly misses no end and holds up nobody', async () => {
  const slow = await watch('talks', { ...asked, session_id: 'four' });
  const quick = await watch('talks', { ...asked, session_id: 'five' });
  const [one, other] = [await quick.rest(), await slow.rest()];
  for (const text of [one, other]) {
    const last = framesIn({ status: 200, text }).at(-1);
    expect(last).toMatchObject({ title: 'Completed', final_output: 'heard Clearly: Which paths?' });
    expect(last?.steps?.filter(({ label }) => label.includes('Stage')).length).toBeGreaterThan(150);
  }
});

test('[PL82] 5: a socket that comes late is told every step once, whoever else was told what', async () => {
  const stream = await watch('asks', { ...asked, session_id: 'late' });
  const first = listenTo(at, stream.run, ann);
  await first.begun;
  await stream.until((text) => text.includes('"interrupted"'));
  const middle = listenTo(at, stream.run, ann);
  await middle.begun;
  const json = { session_id: 'late', action: 'approve' };
  await at.ask('/api/applications/asks/chat/hitl-decide', { key: ann, json });
  const all = [await first.heard, await middle.heard, await listenTo(at, stream.run, ann).heard];
  const started = all.map((one) =>
    one.filter(({ event }) => event === 'step_started').map(({ name }) => name),
  );
  expect(started[0]).toEqual(begunIn(framesIn({ status: 200, text: await stream.rest() })));
  expect(started[1]).toEqual(started[0]);
  expect(started[2]).toEqual(started[0]);
});

test('[PL82] 6: what a stream asked is kept: it is resumed by another request, and a question is understood', async () => {
  const stream = await watch('asks', { ...asked, session_id: 'kept' });
  await stream.until((text) => text.includes('"interrupted"'));
  await stream.close();
  const path = '/api/applications/asks/chat/sessions/kept';
  const waiting = await at.ask(path, { key: ann });
  expect(textAt(waiting, 'conversation_state')).toBe('awaiting_hitl_review');
  expect(textAt(waiting, 'messages', 1, 'content')).toBe('Which paths?');
  const json = { session_id: 'kept', action: 'approve' };
  await at.ask('/api/applications/asks/chat/hitl-decide', { key: ann, json });
  expect(textAt(await at.ask(path, { key: ann }), 'messages', 2, 'content')).toContain('sent out');
  await (await watch('clarifies', { message: 'Is it up?', session_id: 'unclear' })).rest();
  const unclear = await at.ask('/api/applications/clarifies/chat/sessions/unclear', { key: ann });
  expect(textAt(unclear, 'conversation_state')).toBe('awaiting_clarification');
  const next = await watch('clarifies', { message: 'LINK-1', session_id: 'unclear' });
  await next.rest();
  const { text } = await at.ask(`/api/runs/${next.run}`, { key: ann });
  expect(text).toContain('Asked back: Which link?\\nAnswered: LINK-1');
});

test('[PL82] 7: what people ask at the same time is nobody else’s', async () => {
  const all = Array.from({ length: 8 }, async (_, i) => {
    const stream = await watch('talks', { message: `Mine is ${i}.` }, i % 2 ? ann : ben);
    return stream.rest();
  });
  for (const [i, text] of (await Promise.all(all)).entries()) {
    expect(framesIn({ status: 200, text }).at(-1)?.final_output).toBe(`heard Clearly: Mine is ${i}.`);
    expect(new Set(text.match(/Mine is \d/g))).toEqual(new Set([`Mine is ${i}`]));
  }
});

test('[PL82] 8: what waits is not done, what comes after it follows it by number, and the plan says who answers', async () => {
  const ask = await at.ask('/api/applications/groups/chat', {
    key: ann,
    json: { ...asked, session_id: 'eight' },
  });
  expect(textAt(ask, 'conversation_state')).toBe('awaiting_hitl_review');
  const tree = async (): Promise<Record<string, string>> => {
    const { json } = await at.ask(`/api/runs/${ask.headers.get('x-run-id')}`, { key: ann });
    const { steps } = json as { steps: { key: string; status: string }[] };
    return Object.fromEntries(steps.map(({ key, status }) => [key, status]));
  };
  expect(await tree()).toMatchObject({ skill_2: 'pending', skill_3: 'pending' });
  expect((await tree())['skill_1']).not.toBe('completed');
  const json = { session_id: 'eight', action: 'approve' };
  const done = await at.ask('/api/applications/groups/chat/hitl-decide', { key: ann, json });
  expect(done.json).toMatchObject({ status: 'completed', message: 'three paths' });
  expect(await tree()).toMatchObject({ skill_1: 'completed', skill_2: 'completed', skill_3: 'completed' });
});

test('[PL82] 9: a socket is for those who may see its run, people are told apart, and no key stands in the source', async () => {
  const stream = await watch('talks', asked);
  await stream.rest();
  await expect(listenTo(at, stream.run).heard).rejects.toThrow(/401/);
  await expect(listenTo(at, stream.run, eve).heard).rejects.toThrow(/404/);
  expect((await listenTo(at, stream.run, ann).heard).at(-1)?.event).toBe('run_completed');
  const { json } = await at.ask('/api/applications/talks/chat/history', { key: ben });
  const { sessions } = json as { sessions: { title: string }[] };
  expect(sessions.every(({ title }) => /^Mine is [0246]\.$/.test(title))).toBe(true);
  const source = readFileSync(new URL('../../src/server/access/keys.ts', import.meta.url), 'utf8');
  expect(source).not.toMatch(/['"`][0-9a-zA-Z_-]{24,}['"`]/);
});
