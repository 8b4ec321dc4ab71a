// Every way that a run of an application can go, told frame by frame: to nobody else, and to ten sockets beside a reader that
// takes nothing; by the official dialects, and from every cursor.
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Agent } from '../../src/catalog/agent.ts';
import { surfaceClient } from '../a2ui/clients.ts';
import { toRenderer, versions } from '../a2ui/schemas.ts';
import { begunIn, course, framesIn, listenTo, watchChat, type Told } from '../application-stream.ts';
import { sized } from '../long.ts';
import { askBack, desksConfig, planOf, planStep, type Casting } from '../pipeline.ts';
import { serving, shareServing, type Serving } from '../serving.ts';

interface Way extends Pick<Casting, 'plans' | 'guards' | 'settings'> {
  readonly message?: string;
  /** What a person decides, one after the other. */
  readonly decisions?: readonly object[];
  /** How the rows stand after the plan; where two work at once, who is done first is not said. */
  readonly after: readonly (string | RegExp)[];
  readonly answer: string;
  /** What the last row says. */
  readonly detail?: string;
}

const single = (skill: string) => planOf('single', [planStep(1, skill)]);
const both = (strategy: string, needs = {}) =>
  planOf(strategy, [planStep(1, 'graph'), planStep(2, 'books', needs)]);
const inTurn = [
  'execute> post_guard.',
  'skill_1. post_guard.',
  'skill_1. skill_2. post_guard.',
  'skill_1> skill_2. post_guard.',
  'skill_1+ skill_2. post_guard.',
  'skill_1+ skill_2> post_guard.',
  'skill_1+ skill_2+ post_guard.',
  'skill_1+ skill_2+ post_guard>',
  'skill_1+ skill_2+ post_guard+',
];
const atOnce = [
  ...inTurn.slice(0, 4),
  'skill_1> skill_2> post_guard.',
  /^skill_1(\+ skill_2>|> skill_2\+) post_guard\.$/,
  ...inTurn.slice(6),
];
const asked = [
  'execute> post_guard.',
  'skill_1. post_guard.',
  'skill_1> post_guard.',
  'skill_1? post_guard.',
  'skill_1~ post_guard.',
];
const done = ['skill_1+ post_guard.', 'skill_1+ post_guard>', 'skill_1+ post_guard+'];
const refused = done.map((line) => line.replace('skill_1+', 'skill_1!'));
const bypassed = ['execute- post_guard.', 'execute- post_guard-'];
const passed = 'Nothing was found.';

const ways: Readonly<Record<string, Way>> = {
  plain: {
    plans: [single('graph')],
    after: ['execute> post_guard.', 'skill_1. post_guard.', 'skill_1> post_guard.', ...done],
    answer: 'three paths',
  },
  blocked: {
    plans: [single('graph')],
    guards: { input: [{ guard: 'safety' }] },
    message: 'How to make a bomb?',
    after: [],
    answer: 'Your message was blocked by safety filters. Violations: weapons',
    detail: 'Blocked by guardrails',
  },
  clarify: {
    plans: [askBack('Which link?')],
    after: bypassed,
    answer: 'Which link?',
    detail: 'Clarification needed',
  },
  fallback: {
    plans: [planOf('single', [], { fallback_message: 'No.' })],
    after: bypassed,
    answer: 'Sorry.\n\nNo.\n\nI can help you with: ',
    detail: 'Fallback response',
  },
  sequential: { plans: [both('sequential')], after: inTurn, answer: 'see page 4' },
  parallel: { plans: [both('parallel')], after: atOnce, answer: 'three paths\n\n---\n\nsee page 4' },
  hybrid: { plans: [both('hybrid', { depends_on: [1] })], after: inTurn, answer: 'see page 4' },
  failed: {
    plans: [planOf('sequential', [planStep(1, 'shaky'), planStep(2, 'graph')])],
    after: inTurn.map((line) => line.replace('skill_1+', 'skill_1!')),
    answer: 'three paths',
  },
  approve: {
    plans: [single('gated')],
    decisions: [{ action: 'approve' }],
    after: [...asked, ...done],
    answer: 'sent out: Clearly: Which paths?',
  },
  edit: {
    plans: [single('gated')],
    decisions: [{ action: 'edit', payload: { changes: 'Go slowly' } }],
    after: [...asked, ...done],
    answer: 'sent out: Go slowly',
  },
  reject: {
    plans: [single('gated')],
    decisions: [{ action: 'reject', rationale: 'Not now' }],
    after: [...asked, ...refused],
    answer: 'Sorry.\n\n[Gated was not done: ',
  },
  defer: {
    plans: [single('gated')],
    decisions: [{ action: 'defer' }, { action: 'approve' }],
    after: [...asked, ...done],
    answer: 'sent out: Clearly: Which paths?',
  },
  workflow: {
    plans: [planOf('single', [planStep(1, 'survey', { skill_type: 'workflow' })])],
    settings: { skills: [{ name: 'survey', type: 'workflow', description: 'surveys links' }] },
    decisions: [{ action: 'approve' }],
    after: [...asked, ...done],
    answer: 'Surveyed: three paths',
  },
};

const stages = ['guardrails', 'enhance', 'rag', 'plan', 'execute', 'post_guard'];
/** Up to the plan, each stage is shown as it begins and as it ends. */
function before(way: Way): string[] {
  const isBlocked = way.detail === 'Blocked by guardrails';
  const line = (completed: number, mark?: '>' | '-'): string =>
    stages
      .map((stage, i) => {
        if (i < completed) return `${stage}${isBlocked && i > 0 ? '-' : '+'}`;
        return `${stage}${i === completed && mark ? mark : '.'}`;
      })
      .join(' ');
  if (isBlocked) return [line(0), line(0, '>'), ...[1, 2, 3, 4, 5, 6].map((count) => line(count))];
  return [line(0), ...[0, 1, 2, 3].flatMap((i) => [line(i, '>'), line(i + 1)])];
}

/** The enhancer waits for whoever watches, so that they are there before anything has happened. */
let gate = Promise.resolve();
const enhancer: Agent = {
  name: 'enhancer',
  description: '',
  effect: 'pure',
  gateway: {
    async *takeTurn({ messages }) {
      await gate;
      const made = {
        enhanced_prompt: `Clearly: ${messages.at(-1)?.text ?? ''}`,
        detected_intent: '',
        confidence: 1,
      };
      yield [{ type: 'text.appended', text: JSON.stringify(made) }];
    },
  },
};

const survey = {
  name: 'survey',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'agree', type: 'human', title: 'Survey now?', allowed: ['approve', 'reject'] },
    { id: 'no', type: 'end', output: 'Not surveyed.' },
    { id: 'look', type: 'agent', agent: 'graph', title: 'Look', message: 'Which paths? {{input.text}}' },
    { id: 'end', type: 'end', output: 'Surveyed: {{nodes.look.output}}' },
  ],
  edges: [
    { from: 'start', to: 'agree' },
    { from: 'agree', to: 'look', port: 'approved' },
    { from: 'agree', to: 'no', port: 'rejected' },
    { from: 'look', to: 'end' },
  ],
};

let at: Serving;
beforeAll(() =>
  shareServing(async () => {
    at = await serving({ config: { ...desksConfig(ways, [enhancer]), workflows: { survey } } });
  }),
);

interface Went {
  readonly run: string;
  readonly frames: readonly Told[];
}

/** One run from the message to the end of its stream. */
async function go(app: string, watchers?: (run: string) => Promise<void>): Promise<Went> {
  const { message = 'Which paths?', decisions = [] } = ways[app] ?? {};
  const session = `${app}-${watchers ? 'watched' : 'alone'}`;
  const opened = Promise.withResolvers<void>();
  if (watchers) gate = opened.promise;
  const stream = await watchChat(at.url, { message, session_id: session }, { app });
  await watchers?.(stream.run);
  opened.resolve();
  for (const decision of decisions) {
    await stream.until((text) => text.includes('"interrupted"'));
    const json = { session_id: session, ...decision };
    const { status, text } = await at.ask(`/api/applications/${app}/chat/hitl-decide`, { json });
    expect(status, text).toBe(200);
  }
  const text = await stream.rest();
  return { run: stream.run, frames: framesIn({ status: 200, text }) };
}

function expectWay(way: Way, frames: readonly Told[]): void {
  const first = before(way);
  const lines = course(frames);
  expect(lines.slice(0, first.length)).toEqual(first);
  const rest = lines.slice(first.length).map((line) => line.replace('guardrails+ enhance+ rag+ plan+ ', ''));
  expect(rest).toEqual(
    way.after.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
  );
  const { detail = passed, answer } = way;
  const last = frames.at(-1);
  expect(last).toMatchObject({ title: 'Completed', final_output: expect.stringContaining(answer) });
  expect(last?.steps?.at(-1)).toMatchObject({ id: 'step_post_guard', detail });
  expect(last?.steps?.filter(({ detail: each }) => each.length > 200)).toEqual([]);
  // What a workflow is stands in the journal, and in nobody's chat.
  expect(last?.steps?.filter(({ detail: each }) => each.includes('edges'))).toEqual([]);
}

/** A reader that asks for a stream and takes nothing of it. */
async function stall(run: string): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const asking = request(`${at.url}/api/runs/${run}/events?as=a2ui-flat`, (answer) => {
    answer.pause();
    resolve();
  });
  asking.on('error', reject);
  asking.end();
  await promise;
  return () =>
    asking
      .off('error', reject)
      .on('error', () => {})
      .destroy();
}

describe.for(Object.entries(ways))('%s', ([app, way]) => {
  test('[PL70] [PL74] is told frame by frame, and the same whoever else watches', async () => {
    const alone = await go(app);
    expectWay(way, alone.frames);
    let heard: ReturnType<typeof listenTo>[] = [];
    let leave = (): void => {};
    const watched = await go(app, async (run) => {
      heard = Array.from({ length: 10 }, () => listenTo(at, run));
      await Promise.all(heard.map(({ begun }) => begun));
      leave = await stall(run);
    });
    expectWay(way, watched.frames);
    const sockets = await Promise.all(heard.map((one) => one.heard));
    leave();
    for (const one of sockets) expect(one).toEqual(sockets[0]);
    const started = sockets[0]?.filter(({ event }) => event === 'step_started').map(({ name }) => name);
    expect(started).toEqual(begunIn(watched.frames));
    expect(started?.slice(0, 1)).toEqual(['Checking guardrails']);
  });

  test('[UI1] [UI2] [L2] the official dialects take it, and every cursor gets the rest', async () => {
    const { run } = await go(app);
    const whole = async (as: string, after = 0) =>
      (await at.ask(`/api/runs/${run}/events?as=${as}&after=${after}`)).text;
    for (const version of versions) {
      const client = surfaceClient(version, run);
      for (const [, data = ''] of (await whole(version)).matchAll(/^data: (.*)$/gm)) {
        expect(toRenderer[version](JSON.parse(data)), data).toBe(true);
        client.take(data);
      }
      const shown = JSON.stringify(client.state());
      for (const paragraph of way.answer.split('\n\n')) expect(shown).toContain(paragraph);
      if (way.detail !== undefined) expect(shown).toContain(`"detail":"${way.detail}"`);
    }
    for (const as of ['a2ui-flat', ...versions, 'execution']) {
      const all = await whole(as);
      const ids = [...all.matchAll(/^id: (\d+)$/gm)].map(([, id = '']) => Number(id));
      expect(ids.length).toBeGreaterThanOrEqual(5);
      for (const id of ids.filter((_, i) => i % sized(6, 1) === 0)) {
        const rest = await whole(as, id);
        const place = all.length - rest.length;
        expect([id, all.slice(place)]).toEqual([id, rest]);
        expect(all.slice(0, place)).toMatch(new RegExp(`id: ${id}\\n[^]*$`));
        expect(rest).not.toMatch(new RegExp(`^id: ${id}$`, 'm'));
      }
    }
  });
});

test('[PL73] whoever goes away in the middle leaves nothing open behind', async () => {
  const config = desksConfig({ plain: { plans: [single('gated')] } }, [enhancer]);
  const small = await serving({ config: { ...config, server: { quotas: { streams: 1 } } } });
  const ask = (session: string) =>
    watchChat(small.url, { message: 'Which paths?', session_id: session }, { app: 'plain' });
  for (const session of ['one', 'two', 'three']) {
    const stream = await ask(session);
    await stream.until((text) => text.includes('"interrupted"'));
    await stream.close();
    await expect.poll(() => small.server.context.quotas.streams('local').open).toBe(0);
  }
  const { json } = await small.ask('/api/applications/plain/chat/history');
  expect((json as { sessions: { conversation_state: string }[] }).sessions).toEqual(
    Array.from({ length: 3 }, () => expect.objectContaining({ conversation_state: 'awaiting_hitl_review' })),
  );
});
