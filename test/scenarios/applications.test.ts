// Applications as the workflow platform's own clients use them: streams frame by frame, questions to people, sessions.
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Agent } from '../../src/catalog/agent.ts';
import { askBack, deskConfig, planOf, planStep, type Casting } from '../pipeline.ts';
import {
  keyIn,
  serving,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Answered,
  type Serving,
} from '../serving.ts';
import { agentOf } from '../world.ts';

const one = planOf('single', [planStep(1, 'graph')]);
const chat = '/api/applications/desk/chat';

interface Row {
  readonly id: string;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
  readonly status: string;
  readonly parent?: string;
}

interface Told {
  readonly title?: string;
  readonly steps?: readonly Row[];
  readonly final_output?: string;
}

async function desk(casting: Partial<Casting> = {}): Promise<Serving> {
  return serving({ config: deskConfig({ plans: [one], ...casting }) });
}

/** What each frame says of the data, in order; before them are the three of every surface. */
function framesIn({ status, text }: Pick<Answered, 'status' | 'text'>): readonly Told[] {
  expect(status, text).toBe(200);
  const frames = [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as { type: string; data?: Told },
  );
  expect(frames.slice(0, 3).map(({ type }) => type)).toEqual([
    'surfaceUpdate',
    'dataModelUpdate',
    'beginRendering',
  ]);
  return frames.slice(3).map(({ data = {} }) => data);
}

/** How the rows of the first level stood, one line for each time that changed. */
function course(frames: readonly Told[]): string[] {
  const lines = frames.flatMap(({ steps }) =>
    steps
      ? [
          steps
            .filter(({ parent, label }) => !parent && !label.startsWith('›'))
            .map(shortRow)
            .join(' '),
        ]
      : [],
  );
  return lines.filter((line, i) => line !== lines[i - 1]);
}

const marks: Readonly<Record<string, string>> = {
  pending: '.',
  running: '>',
  completed: '+',
  failed: '!',
  interrupted: '?',
  resumed: '~',
  skipped: '-',
};

function shortRow({ id, status }: Row): string {
  return `${id.replace('step_', '')}${marks[status]}`;
}

async function streamed(casting: Partial<Casting> = {}, message = 'Which paths?'): Promise<readonly Told[]> {
  const at = await desk(casting);
  return framesIn(await at.ask(`${chat}/stream`, { json: { message } }));
}

const begun = [
  'guardrails. enhance. rag. plan. execute. post_guard.',
  'guardrails> enhance. rag. plan. execute. post_guard.',
  'guardrails+ enhance. rag. plan. execute. post_guard.',
];
const planned = [
  ...begun,
  'guardrails+ enhance> rag. plan. execute. post_guard.',
  'guardrails+ enhance+ rag. plan. execute. post_guard.',
  'guardrails+ enhance+ rag> plan. execute. post_guard.',
  'guardrails+ enhance+ rag+ plan. execute. post_guard.',
  'guardrails+ enhance+ rag+ plan> execute. post_guard.',
  'guardrails+ enhance+ rag+ plan+ execute. post_guard.',
];
const before = 'guardrails+ enhance+ rag+ plan+';

describe('a stream, frame by frame', () => {
  test('[PL70] [PL76] a plain answer: skills take the place of what stood for them', async () => {
    const frames = await streamed();
    expect(course(frames)).toEqual([
      ...planned,
      `${before} execute> post_guard.`,
      `${before} skill_1. post_guard.`,
      `${before} skill_1> post_guard.`,
      `${before} skill_1+ post_guard.`,
      `${before} skill_1+ post_guard>`,
      `${before} skill_1+ post_guard+`,
    ]);
    expect(frames.at(-1)).toMatchObject({ title: 'Completed', final_output: 'three paths' });
    const rows = frames.at(-1)?.steps ?? [];
    expect(rows.find(({ id }) => id === 'step_skill_1')).toEqual({
      id: 'step_skill_1',
      icon: 'smart_toy',
      label: 'Running agent: Graph',
      detail: 'three paths',
      status: 'completed',
    });
    expect(rows.find(({ parent }) => parent === 'step_skill_1')).toMatchObject({
      label: '› Graph',
      icon: 'psychology',
    });
    expect(rows.filter(({ id }) => /^step_[a-z]/.test(id)).map(({ icon }) => icon)).toEqual([
      'shield',
      'auto_fix_high',
      'search',
      'account_tree',
      'smart_toy',
      'verified',
    ]);
  });

  test('[PL70] blocked, asked back and fallen back: what is bypassed says why at that moment', async () => {
    const guards = { input: [{ guard: 'safety' as const }] };
    const blocked = await streamed({ guards }, 'How to make a bomb?');
    expect(course(blocked)).toEqual([
      ...begun,
      'guardrails+ enhance- rag. plan. execute. post_guard.',
      'guardrails+ enhance- rag- plan. execute. post_guard.',
      'guardrails+ enhance- rag- plan- execute. post_guard.',
      'guardrails+ enhance- rag- plan- execute- post_guard.',
      'guardrails+ enhance- rag- plan- execute- post_guard-',
    ]);
    expect(blocked.at(-1)?.steps?.at(-1)?.detail).toBe('Blocked by guardrails');
    const skipped = [...planned, `${before} execute- post_guard.`, `${before} execute- post_guard-`];
    const asked = await streamed({ plans: [askBack('Which link?')] });
    expect(course(asked)).toEqual(skipped);
    expect(asked.at(-1)).toMatchObject({ final_output: 'Which link?' });
    expect(asked.at(-1)?.steps?.at(-1)?.detail).toBe('Clarification needed');
    const fallen = await streamed({ plans: [planOf('single', [], { fallback_message: 'No.' })] });
    expect(course(fallen)).toEqual(skipped);
    expect(fallen.at(-1)?.steps?.at(-1)?.detail).toBe('Fallback response');
  });

  test.for(['sequential', 'parallel', 'hybrid'] as const)('[PL70] %s skills', async (strategy) => {
    const needs: Record<string, number[]> = strategy === 'hybrid' ? { depends_on: [1] } : {};
    const plans = [planOf(strategy, [planStep(1, 'graph'), planStep(2, 'books', needs)])];
    const frames = await streamed({ plans });
    const lines = course(frames).slice(planned.length);
    expect(lines.slice(0, 3)).toEqual([
      `${before} execute> post_guard.`,
      `${before} skill_1. post_guard.`,
      `${before} skill_1. skill_2. post_guard.`,
    ]);
    expect(lines.at(-1)).toBe(`${before} skill_1+ skill_2+ post_guard+`);
    const isTogether = lines.includes(`${before} skill_1> skill_2> post_guard.`);
    expect(isTogether).toBe(strategy === 'parallel');
    const answer = strategy === 'parallel' ? 'three paths\n\n---\n\nsee page 4' : 'see page 4';
    expect(frames.at(-1)?.final_output).toBe(answer);
  });

  test('[PL70] a skill that fails is shown so, and the others go on', async () => {
    const plans = [planOf('parallel', [planStep(1, 'shaky'), planStep(2, 'graph')])];
    const frames = await streamed({ plans });
    expect(course(frames).at(-1)).toBe(`${before} skill_1! skill_2+ post_guard+`);
    expect(frames.at(-1)?.final_output).toContain('three paths');
  });

  test.for(['a2ui-0.8', 'a2ui-0.9', 'a2ui-1.0'])(
    '[PL71] %s is spoken to those who ask for it',
    async (dialect) => {
      const at = await desk();
      const answer = await at.ask(`${chat}/stream?dialect=${dialect}`, { json: { message: 'Which paths?' } });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('three paths');
      expect(answer.text).not.toContain('"type":"surfaceUpdate"');
      const wrong = await at.ask(`${chat}/stream?dialect=klingon`, { json: { message: 'hi' } });
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('dialect')]);
    },
  );

  test('[PL71] frames have cursors to come back to, and the same key joins the same run', async () => {
    const at = await desk();
    const send = () =>
      at.ask(`${chat}/stream`, { json: { message: 'Which paths?' }, headers: { 'idempotency-key': 'k' } });
    const first = await send();
    const again = await send();
    const run = first.headers.get('x-run-id');
    expect(again.headers.get('x-run-id')).toBe(run);
    expect(again.text).toBe(first.text);
    const ids = [...first.text.matchAll(/^id: (\S+)$/gm)].map(([, id = '']) => id);
    const cut = ids[Math.floor(ids.length / 2)] ?? '';
    const rest = await at.ask(`/api/runs/${run}/events?as=a2ui-flat&after=${cut}`);
    expect(first.text.endsWith(rest.text)).toBe(true);
    expect(rest.text.length).toBeGreaterThan(100);
  });
});

/** An agent that a person must agree to, and what it was sent. */
function gated(): { readonly agent: Agent; readonly sent: string[] } {
  const sent: string[] = [];
  const agent = agentOf(
    'graph',
    ({ messages }) => {
      sent.push(messages.at(-1)?.text ?? '');
      return [{ type: 'say', text: 'sent out' }];
    },
    'once',
  );
  return { agent: { ...agent, approval: 'always' }, sent };
}

interface Watched {
  readonly run: string;
  /** Reads on until what came so far is as it should be. */
  until(isThere: (text: string) => boolean): Promise<string>;
  close(): Promise<void>;
}

/** A stream as somebody reads it while it goes on. */
async function watch(at: Serving, json: object): Promise<Watched> {
  const left = new AbortController();
  const response = await fetch(`${at.url}${chat}/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(json),
    signal: left.signal,
  });
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    run: response.headers.get('x-run-id') ?? '',
    async until(isThere) {
      while (!isThere(text)) {
        const next = await reader?.read();
        if (!next || next.done) return text;
        text += next.value;
      }
      return text;
    },
    close: async () => left.abort(),
  };
}

describe('a person is asked', () => {
  const skillWaits = (text: string): boolean => text.includes('"status":"interrupted"');
  const stateIn = async (at: Serving, session: string): Promise<string> =>
    textAt(await at.ask(`${chat}/sessions/${session}`), 'conversation_state');

  test('[PL72] the stream stays open: interrupted, then resumed, then the answer', async () => {
    const { agent, sent } = gated();
    const at = await desk({ agents: [agent] });
    const stream = await watch(at, { message: 'Go', session_id: 's' });
    await stream.until(skillWaits);
    const more = await at.ask(chat, { json: { message: 'Hurry', session_id: 's' } });
    expect(more.status).toBe(409);
    expect(more.json).toMatchObject({
      conversation_state: 'awaiting_hitl_review',
      hitl_context: { run_id: stream.run, allowed_decisions: expect.arrayContaining(['approve', 'reject']) },
    });
    const alike = await at.ask(`${chat}/stream`, { json: { message: 'Hurry', session_id: 's' } });
    expect([alike.status, textAt(alike, 'error', 'code')]).toEqual([409, 'awaiting_hitl_review']);
    const decided = await at.ask(`${chat}/hitl-decide`, { json: { session_id: 's', action: 'approve' } });
    expect(decided.json).toMatchObject({
      status: 'completed',
      message: 'sent out',
      conversation_state: 'awaiting_input',
    });
    const text = await stream.until((told) => told.includes('"final_output":"sent out"'));
    const rows = course(framesIn({ status: 200, text }));
    expect(rows.slice(-6)).toEqual([
      `${before} skill_1> post_guard.`,
      `${before} skill_1? post_guard.`,
      `${before} skill_1~ post_guard.`,
      `${before} skill_1+ post_guard.`,
      `${before} skill_1+ post_guard>`,
      `${before} skill_1+ post_guard+`,
    ]);
    expect(sent).toHaveLength(1);
  });

  test('[PL72] edited, rejected and put off', async () => {
    const { agent, sent } = gated();
    const at = await desk({ agents: [agent] });
    const ask = (session: string) => at.ask(chat, { json: { message: 'Go', session_id: session } });
    const decide = (json: object) => at.ask(`${chat}/hitl-decide`, { json });
    expect((await ask('edited')).json).toMatchObject({ conversation_state: 'awaiting_hitl_review' });
    const bare = await decide({ session_id: 'edited', action: 'edit' });
    expect([bare.status, bare.text]).toEqual([400, expect.stringContaining('payload.changes')]);
    const edited = await decide({
      session_id: 'edited',
      action: 'edit',
      payload: { changes: 'Go slowly' },
    });
    expect([edited.status, edited.json], edited.text).toEqual([
      200,
      expect.objectContaining({ status: 'completed' }),
    ]);
    expect(sent).toEqual(['Go slowly']);
    await ask('rejected');
    const no = await decide({ session_id: 'rejected', action: 'reject', rationale: 'Not now' });
    expect(no.json).toMatchObject({ status: 'rejected', conversation_state: 'awaiting_input' });
    expect(textAt(no, 'message')).toContain('Graph was not done');
    await ask('later');
    const later = await decide({ session_id: 'later', action: 'defer' });
    expect(later.json).toMatchObject({ status: 'deferred', conversation_state: 'awaiting_hitl_review' });
    expect(await stateIn(at, 'later')).toBe('awaiting_hitl_review');
    expect((await decide({ session_id: 'later', action: 'approve' })).json).toMatchObject({
      status: 'completed',
    });
    expect((await decide({ session_id: 'later', action: 'approve' })).status).toBe(409);
    expect(sent).toHaveLength(2);
  });

  test('[PL73] whoever leaves stops nothing, and a session has what was said', async () => {
    const { agent } = gated();
    const at = await desk({ agents: [agent] });
    const stream = await watch(at, { message: 'Go', session_id: 's' });
    await stream.until(skillWaits);
    await stream.close();
    expect(await stateIn(at, 's')).toBe('awaiting_hitl_review');
    await at.ask(`${chat}/hitl-decide`, { json: { session_id: 's', action: 'approve' } });
    const { json } = await at.ask(`${chat}/sessions/s`);
    const { messages } = json as { messages: { role: string; content: string }[] };
    expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'assistant: Welcome.',
      'user: Go',
      'assistant: sent out',
    ]);
    expect((await at.ask(`${chat}/sessions/s`, { method: 'DELETE' })).status).toBe(204);
    expect((await at.ask(`${chat}/sessions/s`)).status).toBe(404);
  });
});

describe('who watches changes nothing', () => {
  const plans = [
    planOf('hybrid', [
      planStep(1, 'graph'),
      planStep(2, 'shaky'),
      planStep(3, 'books', { depends_on: [1, 2] }),
    ]),
  ];

  test.for([0, 10])(
    '[PL74] the same stream with %i sockets open, and the same steps on each',
    async (count) => {
      const at = await desk({ plans });
      const asked = await at.ask(`${chat}/stream`, { json: { message: 'Which paths?' } });
      const run = asked.headers.get('x-run-id') ?? '';
      const all = await Promise.all(Array.from({ length: count }, () => events(at, run)));
      for (const one of all) expect(one).toEqual(all[0]);
      expect(course(framesIn(asked)).at(-1)).toBe(`${before} skill_1+ skill_2! skill_3+ post_guard+`);
      if (count === 0) return;
      const started = (all[0] ?? []).filter(({ event }) => event === 'step_started').map(({ name }) => name);
      expect(started.slice(0, 3)).toEqual(['Checking guardrails', 'Enhancing prompt', 'Enhancing']);
      const stages = started.filter((name) =>
        /^(Checking|Enhancing p|Retr|Planning e|Exec|Running|Valid)/.test(name),
      );
      expect(stages).toEqual([
        'Checking guardrails',
        'Enhancing prompt',
        'Retrieving context',
        'Planning execution',
        'Executing skills',
        'Running agent: Graph',
        'Running agent: Shaky',
        'Running agent: Books',
        'Validating output',
      ]);
    },
  );

  test('[PL74] a reader that takes nothing holds nobody up', async () => {
    const { agent } = gated();
    const at = await desk({ agents: [agent] });
    const stalled = await watch(at, { message: 'Go', session_id: 's' });
    await untilAnswer(
      () => at.ask(`/api/runs/${stalled.run}`),
      (answer) => textAt(answer, 'status') === 'waiting',
    );
    const decided = await at.ask(`${chat}/hitl-decide`, { json: { session_id: 's', action: 'approve' } });
    expect(decided.json).toMatchObject({ status: 'completed' });
    const text = await stalled.until((told) => told.includes('"final_output":"sent out"'));
    expect(course(framesIn({ status: 200, text })).at(-1)).toBe(`${before} skill_1+ post_guard+`);
  });

  test('[PL75] two people of one application share nothing', async () => {
    const data = temporaryFolder();
    const [ann = '', ben = ''] = ['ann', 'ben'].map((name) => keyIn(data, { name, role: 'member' }));
    const echo = agentOf(
      'graph',
      ({ messages }) => [{ type: 'say', text: messages.at(-1)?.text ?? '' }],
      'idempotent',
    );
    const at = await serving({ data, config: deskConfig({ plans: [one], agents: [echo] }) });
    const say = (key: string, message: string, session_id?: string) =>
      at.ask(chat, { key, json: { message, session_id } });
    const [first, other] = await Promise.all([say(ann, 'From Ann', 'mine'), say(ben, 'From Ben', 'mine')]);
    expect(textAt(first, 'message', 'content')).toContain('From Ann');
    expect(textAt(other, 'message', 'content')).toContain('From Ben');
    const session = textAt(first, 'session_id');
    expect((await at.ask(`${chat}/sessions/${session}`, { key: ben })).status).toBe(404);
    expect((await say(ben, 'Hello', session)).status).toBe(404);
    const { json } = await at.ask(`${chat}/history`, { key: ben });
    expect((json as { sessions: { title: string }[] }).sessions.map(({ title }) => title)).toEqual([
      'From Ben',
    ]);
  });
});

interface ExecutionEvent {
  readonly event: string;
  readonly name: string;
}

/** All that a run tells by its WebSocket, until it is over. */
async function events(at: Serving, run: string): Promise<readonly ExecutionEvent[]> {
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/ws/execution/${run}`);
  const heard: ExecutionEvent[] = [];
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve(heard));
    socket.on('message', (data: Buffer) => {
      const { event, payload } = JSON.parse(data.toString()) as {
        event: string;
        payload: { step_name?: string; status?: string };
      };
      heard.push({ event, name: payload.step_name ?? '' });
      if (event === 'run_completed' && payload.status === 'completed') socket.close();
    });
  });
}
