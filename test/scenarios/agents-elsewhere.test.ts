// Agents elsewhere through a whole server: what they are sent, what is shown of them, and what goes wrong with them.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Config } from '../../src/catalog/config.ts';
import { coordinate } from '../../src/flows/coordinate/coordinate.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import type { ApprovalPage } from '../../src/wire/native/approvals.ts';
import type { Flow } from '../../src/engine/scope.ts';
import { dial } from '../dial-frames.ts';
import { eventually } from '../served-config.ts';
import { serving, temporaryFolder, textAt, type Serving } from '../serving.ts';
import { openStrictDial } from '../strict-dial.ts';
import { sse, type Act, type SeenRequest, type Upstream } from '../upstream.ts';

/** Hands the message to the agent, with what hangs on it. */
const talk: Flow = {
  name: 'talk',
  version: '1',
  async run(scope, { text, attachments }) {
    const { text: said } = await scope.turn('gpa', { messages: [{ role: 'user', text, attachments }] });
    return said;
  },
};

const whole = (...frames: string[]): Act[] => [
  sse,
  { send: frames.join('') + dial.last() + dial.done },
  'end',
];
const says = (text: string): Act[] => whole(dial.text(text));

let upstream: Upstream;
beforeEach(async () => {
  vi.stubEnv('GPA_KEY', 'dial-key-83fc1');
  upstream = await openStrictDial();
});
afterEach(() => upstream.close());

type Agent = Config['agents'][string];
type Given = Partial<Agent> & { readonly limits?: NonNullable<Agent['dial']>['limits'] };

async function open({ limits, ...agent }: Given = {}, data = temporaryFolder()): Promise<Serving> {
  const place = { baseUrl: upstream.url, deployment: 'gpa', key: { env: 'GPA_KEY' } };
  const gpa = { dial: limits ? { ...place, limits } : place, trusted: true, ...agent };
  return serving({ data, config: { agents: { gpa }, apps: { talk: { flow: talk } } } });
}

interface Said {
  readonly text?: string;
  readonly attachments?: readonly object[];
  readonly conversation?: string | undefined;
}

/** Say something, and wait for the answer. */
async function say(
  at: Serving,
  { text = 'hello', attachments = [], conversation }: Said = {},
): Promise<Told> {
  const json = { app: 'talk', input: { text, attachments }, ...(conversation ? { conversation } : {}) };
  const started = await at.ask('/api/runs', { json });
  const run = textAt(started, 'run');
  await at.ask(`/api/runs/${run}/events`);
  const tree = (await at.ask(`/api/runs/${run}`)).json as FlatTree;
  return { ...tree, conversation: textAt(started, 'conversation') };
}

type Told = FlatTree & { readonly conversation: string };

const messagesOf = ({ body }: SeenRequest): unknown => (body as { readonly messages: unknown }).messages;
const codesIn = ({ notices }: FlatTree): string[] => notices.map(({ code }) => code);

describe('what an agent that keeps nothing is sent', () => {
  const report = { type: 'application/pdf', title: 'report.pdf', data: 'JVBERi0xLjc=' };
  const large = { type: 'text/plain', title: 'large.txt', data: 'x'.repeat(60_000) };

  test('[G20 G23] restored messages bring what hung on them, small or large, after a restart too', async () => {
    const data = temporaryFolder();
    const first = await open({}, data);
    upstream.answer(says('Read.'));
    const { conversation } = await say(first, { text: 'Read this.', attachments: [report, large] });
    await first.close();
    await say(await open({}, data), { text: 'What does page 3 say?', conversation });
    expect(messagesOf(await upstream.request(1))).toEqual([
      { role: 'user', content: 'Read this.', custom_content: { attachments: [report, large] } },
      { role: 'assistant', content: 'Read.' },
      { role: 'user', content: 'What does page 3 say?' },
    ]);
  });

  test('[E230] is in the question whether it may be sent, also what comes back with it', async () => {
    const at = await open({ approval: (text) => text.startsWith('Delete') });
    upstream.answer(says('Read.'));
    const { conversation } = await say(at, { text: 'Read this.', attachments: [report, large] });
    const input = { text: 'Delete page 3.', attachments: [report] };
    const run = textAt(await at.ask('/api/runs', { json: { app: 'talk', input, conversation } }), 'run');
    const question = await eventually(async () => {
      const { approvals } = (await at.ask(`/api/approvals?run=${run}`)).json as ApprovalPage;
      return approvals[0];
    });
    expect(question).toMatchObject({
      attachments: [report],
      history: [
        { role: 'user', text: 'Read this.', attachments: [report, { title: 'large.txt', blob: {} }] },
        { role: 'assistant', text: 'Read.' },
      ],
    });
    const { id, fingerprint } = question;
    await at.ask(`/api/approvals/${id}`, { json: { decision: 'approve', fingerprint } });
    const sent = messagesOf(await upstream.request(1)) as readonly { readonly custom_content?: unknown }[];
    expect(sent.map(({ custom_content: along }) => along)).toEqual([
      { attachments: [report, large] },
      undefined,
      { attachments: [report] },
    ]);
  });

  test('[G21] what does not fit of it is named, and that is told', async () => {
    const at = await open({ keeps: { attachments: 50_000 } });
    upstream.answer(says('Read.'));
    const { conversation } = await say(at, { text: 'one', attachments: [large] });
    await say(at, { text: 'two', attachments: [report], conversation });
    const tree = await say(at, { text: 'three', conversation });
    const sent = JSON.stringify(messagesOf(await upstream.request(2)));
    expect(sent).toContain('Attachment \\"large.txt\\" (text/plain), not included.');
    expect(sent).toContain(report.data);
    expect(sent).not.toContain('xxxx');
    expect(tree.notices).toMatchObject([
      { code: 'HISTORY_BOUNDED', message: '1 earlier attachments for gpa were named without their content.' },
    ]);
  });

  test('[G24] a state that was saved for another way of remembering is not sent, and that is told', async () => {
    const data = temporaryFolder();
    const first = await open({}, data);
    upstream.answer(whole(dial.text('one'), dial.state({ tool_call_history: [], note: 'of restore' })));
    const { conversation } = await say(first, { text: '1' });
    await first.close();
    const second = await open({ state: 'conversation-id' }, data);
    upstream.answer(whole(dial.text('two'), dial.state({ ums_conversation_id: 'c-7' })));
    const changed = await say(second, { text: '2', conversation });
    expect(changed.notices).toMatchObject([
      {
        code: 'STATE_LEFT_OUT',
        message:
          'What gpa left was saved while its state was «restore»; it is «conversation-id» now, so it was not sent.',
      },
    ]);
    expect(codesIn(await say(second, { text: '3', conversation }))).toEqual([]);
    await second.close();
    upstream.answer(says('four'));
    await say(await open({}, data), { text: '4', conversation });
    const last = JSON.stringify(messagesOf(await upstream.request(3)));
    expect(last).toContain('of restore');
    expect(last).not.toContain('c-7');
  });
});

describe('what is large', () => {
  const image = (size: number): string =>
    dial.stage({
      index: 0,
      name: 'Image',
      attachments: [{ index: 0, type: 'image/png', title: 'chart.png', data: 'i'.repeat(size) }],
    });

  test('[G22] is a reference: the run stays small, and what was attached can be had', async () => {
    const at = await open();
    upstream.answer(
      whole(image(1_500_000), dial.stage({ index: 0, status: 'completed' }), dial.text('Drawn.')),
    );
    const tree = await say(at);
    const stage = tree.steps.find(({ title }) => title === 'Image');
    const [item] = stage?.items ?? [];
    if (item?.kind !== 'attachment') throw new Error('nothing is attached');
    expect([tree.answer, item.attachment.title, item.attachment.blob?.size]).toEqual([
      'Drawn.',
      'chart.png',
      1_500_002,
    ]);
    expect(JSON.stringify(tree).length).toBeLessThan(10_000);
    const kept = await at.ask(`/api/files/${item.attachment.blob?.blob}`);
    expect(kept.text).toHaveLength(1_500_002);
  });

  test('[A21] and larger than a part may be costs only itself', async () => {
    const at = await open({ limits: { part: 1_000 } });
    const content = 'c'.repeat(1_001);
    const long = dial.stage(
      { index: 1, name: 'Long', content },
      { index: 1, content: 'rest', status: 'completed' },
    );
    upstream.answer(whole(image(1_001), long, dial.text('Drawn.')));
    const tree = await say(at);
    expect([tree.status, tree.answer]).toEqual(['completed', 'Drawn.']);
    expect(tree.steps.map(({ title, text }) => [title, text]).slice(1)).toEqual([
      ['Image', undefined],
      ['Long', 'rest'],
    ]);
    expect(tree.notices?.map(({ code, message }) => [code, message])).toEqual([
      [
        'PART_REFUSED',
        'Deployment gpa sent the attachment «chart.png» of 1001 characters, which is more than 1000 characters (limits.part) and is left out.',
      ],
      [
        'PART_REFUSED',
        'Deployment gpa sent 1001 characters for stage «Long», which is more than 1000 characters (limits.part) and is left out.',
      ],
    ]);
  });

  test('[A21] an event or a state beyond its limit, after a finished answer, leaves the answer what it is', async () => {
    const at = await open({ limits: { event: 2_000_000 } });
    const state = (size: number): string => dial.state({ tool_call_history: [], padding: 'x'.repeat(size) });
    upstream.answer(whole(dial.text('Done.'), state(1_200_000), state(2_000_001)));
    const tree = await say(at);
    expect([tree.status, tree.answer, codesIn(tree)]).toEqual([
      'completed',
      'Done.',
      ['STATE_REFUSED', 'PART_REFUSED'],
    ]);
  });
});

describe('an agent that', () => {
  const refused = (status: number): Act[] => [
    { head: status },
    { send: '{"error":{"message":"not now"}}' },
    'end',
  ];

  test.for<{ name: string; acts: Act[] }>([
    { name: '500', acts: refused(500) },
    { name: '503 without Retry-After', acts: refused(503) },
    { name: 'a lost connection', acts: ['reset'] },
    { name: 'a stream that ends in its middle', acts: [sse, { send: dial.text('Do') }, 'reset'] },
  ])('[A22] is idempotent is asked again after $name, and that is shown', async ({ acts }) => {
    upstream.answer(acts, says('Done.'));
    const tree = await say(await open({ effect: 'idempotent' }));
    expect([tree.status, tree.answer]).toEqual(['completed', 'Done.']);
    expect(tree.steps).toMatchObject([{ attempt: 2, text: 'Done.' }]);
    const keys = upstream.requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  test('[A22] is idempotent is asked three times, and then it has failed', async () => {
    upstream.answer(refused(500));
    const tree = await say(await open({ effect: 'idempotent' }));
    expect([tree.status, upstream.requests.length]).toEqual(['failed', 3]);
    expect(tree.failure?.message).toBe('Deployment gpa answered 500: not now.');
  });

  test('[A22] may act only once is not asked again', async () => {
    upstream.answer(refused(500), says('Done.'));
    const tree = await say(await open());
    expect([tree.status, upstream.requests.length]).toEqual(['failed', 1]);
  });

  test('[A20] answers several times at once is heard once', async () => {
    const other = (content: string): string =>
      dial.text(content).replace('"choices":[{"index":0', '"choices":[{"index":1');
    upstream.answer(whole(dial.text('It '), other('Or '), dial.text('rains.'), other('shines.')));
    const tree = await say(await open());
    expect([tree.answer, codesIn(tree)]).toEqual(['It rains.', ['UPSTREAM_MALFORMED']]);
  });

  test('[A23] is not there is named without its address; the log has it', async () => {
    const { host } = new URL(upstream.url);
    await upstream.close();
    const at = await open();
    const tree = await say(at);
    expect(tree.failure?.message).toMatch(/^The connection to Deployment gpa failed \(ECONNREFUSED\)/);
    const { text: entries } = await at.ask(`/api/runs/${tree.run}/entries`);
    expect(entries).not.toContain(host);
    expect(at.problems.map(({ cause }) => String(cause)).join()).toContain(host);
    upstream = await openStrictDial();
  });

  test('[G27] is stopped in a stage was stopped there, and did not fail', async () => {
    const at = await open();
    upstream.answer([sse, { send: dial.stage({ index: 0, name: 'Search', content: 'looking' }) }, 'hang']);
    const run = textAt(await at.ask('/api/runs', { json: { app: 'talk', input: { text: 'x' } } }), 'run');
    const tree = async (): Promise<FlatTree> => (await at.ask(`/api/runs/${run}`)).json as FlatTree;
    await expect.poll(async () => (await tree()).steps.length).toBe(2);
    await at.ask(`/api/runs/${run}/stop`, { method: 'POST', json: {} });
    await at.ask(`/api/runs/${run}/events`);
    expect((await tree()).steps.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
  });

  test('[G26] asks for tools is told to people and to the writer', async () => {
    const calls = [
      { index: 0, id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
    ];
    upstream.answer([
      sse,
      { send: dial.delta({ tool_calls: calls }) + dial.delta({}, 'tool_calls') + dial.done },
      'end',
    ]);
    const heard: string[] = [];
    const model = (answer: string): Config['agents'][string] => ({
      description: '',
      effect: 'pure',
      gateway: {
        async *takeTurn({ messages }) {
          heard.push(JSON.stringify(messages));
          yield [
            { type: 'text.appended', text: answer },
            { type: 'turn.finished', reason: 'stop' },
          ];
        },
      },
    });
    const place = { baseUrl: upstream.url, deployment: 'gpa', key: { env: 'GPA_KEY' } };
    const agents = {
      gpa: { dial: place, trusted: true },
      router: model('{"agent_name":"gpa"}'),
      writer: model('I do not know.'),
    };
    const team = {
      router: 'router',
      writer: 'writer',
      fallback: 'gpa',
      agents: [{ name: 'gpa', description: '' }],
    };
    const at = await serving({ config: { agents, apps: { talk: { flow: coordinate(team) } } } });
    const tree = await say(at);
    expect(tree.notices).toMatchObject([
      {
        code: 'CALLS_UNANSWERED',
        message: 'gpa asked for get_weather, which nobody runs for it here: its answer may be incomplete.',
      },
    ]);
    expect(tree.steps.find(({ agent, kind }) => agent === 'gpa' && kind === 'turn')?.calls).toMatchObject([
      { tool: 'get_weather' },
    ]);
    expect(heard.at(-1)).toContain('It is not finished: it asked for get_weather');
  });
});
