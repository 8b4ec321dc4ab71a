// A session of three turns, with failures, actions, a question, a stop and a re-opening, as the console's own client sees
// it: live, coming back at every place, and opened again.
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { coordinate } from '../../src/flows/coordinate/coordinate.ts';
import type { Flow, Scope } from '../../src/engine/scope.ts';
import { dialGateway } from '../../src/gateways/dial/dial.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { sectionedGateway } from '../../src/gateways/conversation/sectioned.ts';
import { RunError } from '../../src/run/failure.ts';
import { functionTool } from '../../src/tools/function.ts';
import { shownTurns, thinkingIn, toldAs, toldIn, type Generation, type Told } from '../console-client.ts';
import { dial } from '../dial-frames.ts';
import { decideOn, idsIn, serving, shareServing, textAt, untilAnswer, type Serving } from '../serving.ts';
import { streamViewer, type StreamViewer } from '../stream.ts';
import { openStrictDial } from '../strict-dial.ts';
import { sse, type Act, type Upstream } from '../upstream.ts';

const generations = ['console', 'console-dotted'] as const;
/** Where the original's development server has its page. */
const page = 'http://127.0.0.1:5173';

const topology = {
  nodes: [
    { id: 'SYD', label: 'Site' },
    { id: 'MEL', label: 'Site' },
  ],
  edges: [{ id: 'l1', source: 'SYD', target: 'MEL', label: 'Link' }],
  meta: { node_count: 2 },
};
const graphAnswer = `---QUERY---\nMATCH (l)\n---RESULTS---\n${JSON.stringify(topology)}\n---ANALYSIS---\nSYD is hot.`;
const action = { status: 'dispatched', dispatch_id: 'D-1', engineer: { name: 'Ana' } };
const ticket = {
  type: 'application/json',
  title: 'action',
  data: JSON.stringify({ is_action: true, name: 'dispatch_field_engineer', action }),
};

const tasks = ['graph', 'books', 'field'].map((agent) => ({
  agent,
  instructions: `${agent}?`,
  reasoning: null,
}));
const plan = JSON.stringify({ strategy: 'parallel', reasoning: 'Three know a part.', tasks });

let at: Serving;
let peers: Record<'graph' | 'books' | 'field', Upstream>;

/** What was measured fails, again and again; somebody is asked; then a model speaks until it is stopped. */
async function laterTurns(scope: Scope, text: string): Promise<string> {
  if (text === 'Measure it') {
    for (const id of ['c1', 'c2', 'c3']) await scope.call('measure', { query: 'C' }, { key: id, id });
    await scope.call('restart', { router: 'SYD-1' }, { key: 'restart', id: 'c4' });
    const { decision } = await scope.ask({ key: 'ask', title: 'Go on?' });
    return `It was measured, and you said ${decision}.`;
  }
  const { text: answer } = await scope.turn('slow', { messages: [{ role: 'user', text }] });
  return answer;
}

function appOf(coordinator: Flow): Flow {
  return {
    name: 'noc',
    version: '1',
    run: (scope, input) =>
      input.text === 'SYD is slow' ? coordinator.run(scope, input) : laterTurns(scope, input.text),
  };
}

beforeAll(() =>
  shareServing(async () => {
    peers = { graph: await openStrictDial(), books: await openStrictDial(), field: await openStrictDial() };
    const remote = (name: keyof typeof peers) => ({
      gateway: sectionedGateway(dialGateway({ baseUrl: peers[name].url, deployment: name, key: 'k' }), name),
    });
    const model = (moves: Parameters<typeof scriptedGateway>[0]) => ({
      gateway: scriptedGateway(moves),
      effect: 'pure' as const,
    });
    const coordinator = coordinate({
      router: 'router',
      writer: 'writer',
      fallback: 'graph',
      agents: tasks.map(({ agent: name }) => ({ name, title: `${name} agent`, description: name })),
    });
    const measure = functionTool({
      name: 'measure',
      description: 'Measures a link.',
      input: z.strictObject({ query: z.string() }),
      effect: 'pure',
      run: () => Promise.reject(new RunError('unavailable', 'The probe is broken.')),
    });
    const restart = functionTool({
      name: 'restart',
      description: 'Restarts a router.',
      input: z.strictObject({ router: z.string() }),
      effect: 'idempotent',
      run(_, context) {
        context.attach({ kind: 'action', name: 'restart', data: { status: 'restarted' } });
        return Promise.resolve('ok');
      },
    });
    at = await serving({
      config: {
        agents: {
          router: model(() => [{ type: 'say', text: plan }]),
          writer: model(() => [{ type: 'say', text: ['Somebody is ', 'on the way.'] }]),
          slow: model(() => [{ type: 'say', text: ['The fibre ', 'is'] }, { type: 'hang' }]),
          graph: remote('graph'),
          books: remote('books'),
          field: remote('field'),
        },
        tools: [measure, restart],
        apps: { noc: { flow: appOf(coordinator) } },
        server: { origins: [page] },
      },
    });
  }),
);

afterAll(async () => {
  for (const peer of Object.values(peers)) await peer.close();
});

const answer = (...frames: string[]): Act[] => [
  sse,
  ...[dial.role, ...frames, dial.stop, dial.done].map((send) => ({ send })),
  'end',
];

function planAnswers(): void {
  const stage = (piece: object): string => dial.stage({ index: 0, ...piece });
  peers.graph.answer(
    answer(
      stage({ name: 'dependent_paths', status: null }),
      stage({ content: '{"link":"SYD-MEL"}\nOne path.' }),
      stage({ status: 'completed' }),
      dial.text(graphAnswer.slice(0, 40)),
      dial.text(graphAnswer.slice(40)),
    ),
  );
  peers.books.answer(answer(dial.error({ message: 'no books' })));
  peers.field.answer(
    answer(
      stage({ name: 'dispatch_field_engineer', status: null }),
      stage({ content: '{"destination":"SYD"}\n' }),
      stage({ attachments: [{ index: 0, ...ticket }] }),
      stage({ content: 'Sent.\n' }),
      stage({ status: 'completed' }),
      dial.attachment({ index: 0, ...ticket }),
      dial.text('Ana drives.'),
    ),
  );
}

/** A turn, seen live by a viewer of each generation from where it began. */
type Live = Readonly<Record<Generation, StreamViewer>>;

function watch(session: string, since: Readonly<Record<Generation, number>>): Live {
  const viewer = (as: Generation): StreamViewer =>
    streamViewer({ url: at.url, path: `/api/sessions/${session}/stream?since=${since[as]}&as=${as}` });
  return { console: viewer('console'), 'console-dotted': viewer('console-dotted') };
}

async function ask(session: string, text: string): Promise<Live> {
  const offset = async (as: Generation): Promise<number> =>
    Number((await at.ask(`/api/sessions/${session}?as=${as}`)).text.match(/"event":"/g)?.length);
  const since = { console: await offset('console'), 'console-dotted': await offset('console-dotted') };
  const asked = await at.ask(`/api/sessions/${session}/message`, {
    json: { text },
    headers: { origin: page },
  });
  expect(asked.json).toMatchObject({ status: 'processing', event_offset: since.console });
  return watch(session, since);
}

async function approve(title: string): Promise<void> {
  const isAsked = ({ text }: { readonly text: string }): boolean => text.includes(`"title":"${title}"`);
  const waiting = await untilAnswer(() => at.ask('/api/approvals'), isAsked);
  expect(textAt(waiting, 'approvals', 0, 'title')).toBe(title);
  await decideOn(at, textAt(waiting, 'approvals', 0, 'id'));
}

async function logOf(session: string, as: Generation): Promise<Told[]> {
  const { json } = await at.ask(`/api/sessions/${session}?as=${as}`);
  const { event_log: log } = z
    .object({ event_log: z.array(z.object({ event: z.string(), data: z.string() })) })
    .parse(json);
  return log.map(({ event, data }) => toldAs({ event, data: JSON.parse(data) as unknown }, as));
}

const withoutEnd = (told: readonly Told[]): Told[] => told.filter(({ event }) => event !== 'done');

/** Every rule, on what was told from the beginning of a session to its end. */
function expectRules(told: readonly Told[]): void {
  const names = told.map(({ event }) => event);
  // A message of the user stands before each start but the first, and nowhere else.
  const starts = names.flatMap((name, i) => (name === 'run_start' ? [i] : []));
  expect(names.filter((name) => name === 'user_message')).toHaveLength(starts.length - 1);
  for (const start of starts) {
    if (start > 0) expect(names[start - 1]).toBe('user_message');
    expect(names[start + 1]).toBe('thread_created');
  }
  const cards = shownTurns(told).flatMap((turn) => turn.cards);
  const started = told.flatMap(({ event, data }) => (event === 'step_started' ? [Number(data['step'])] : []));
  expect(started).toEqual(started.map((_, i) => i + 1));
  expect(cards.map(({ step }) => step).toSorted((a, b) => a - b)).toEqual(started);
  for (const { query, response, visualizations } of cards) {
    expect(query).not.toBe('');
    expect(response).not.toMatch(/---|"decision"|"nodes"/);
    for (const { type, data } of visualizations)
      if (type === 'graph') expect(Object.keys(data as object)).toEqual(['columns', 'data', 'query']);
  }
  // One card for each action, and the event of it before its end.
  const actions = cards.filter((card) => card.is_action);
  expect(actions.map(({ response }) => response)).toEqual([
    'Action executed: dispatch_field_engineer',
    'Action executed: restart',
  ]);
  expect(actions.map(({ agent, query }) => `${agent} ${query}`)).toEqual([
    'dispatch_field_engineer dispatch_field_engineer {"destination":"SYD"}',
    'restart {"router":"SYD-1"}',
  ]);
  const again = cards.filter(({ agent }) => agent === 'measure');
  expect(again.map(({ error, blocked }) => [error, blocked])).toEqual([
    [true, false],
    [true, false],
    [true, true],
  ]);
  const thinking = thinkingIn(told);
  for (const [i, line] of thinking.entries()) {
    expect(line).not.toMatch(
      /[{[]"|\*\*|^(?:Orchestrator: )?(?:Coordination|Routing|Answer|Writing|slow|Tools)$/,
    );
    expect(line).not.toBe(thinking[i + 1]);
  }
}

describe('[P40] [P43] [P45] [P47] [V80] [V81] [V82] a session of three turns on the console', () => {
  let session = '';
  const live: Record<Generation, Told[]> = { console: [], 'console-dotted': [] };
  const whole: Record<Generation, string> = { console: '', 'console-dotted': '' };

  async function heard(viewers: Live): Promise<void> {
    for (const as of generations) {
      await viewers[as].closed;
      const told = toldIn(viewers[as].body, as);
      expect(told.filter(({ event }) => event === 'done')).toHaveLength(1);
      expect(told.at(-1)?.event).toBe('done');
      live[as].push(...withoutEnd(told));
    }
  }

  test('begins without a scenario, from the page of the original', async () => {
    planAnswers();
    const json = { scenario: '', alert_text: 'SYD is slow' };
    const begun = await at.ask('/api/sessions', { json, headers: { origin: page } });
    session = textAt(begun, 'session_id');
    await heard(watch(session, { console: 0, 'console-dotted': 0 }));
    const [turn] = shownTurns(live.console);
    expect(turn?.diagnosis).toBe('Somebody is on the way.');
    expect(turn?.cards.find(({ agent }) => agent === 'graph agent')).toMatchObject({
      response: 'SYD is hot.',
      visualizations: [{ type: 'graph', data: { data: [{ source: 'SYD', target: 'MEL' }] } }],
    });
    expect(turn?.cards.find(({ agent }) => agent === 'books agent')).toMatchObject({ error: true });
    expect((await at.ask('/api/sessions?scenario=noc')).text).toContain(session);
  });

  test('streams the answer to those who ask for the second generation', () => {
    const deltas = live['console-dotted'].filter(({ event }) => event === 'message.delta');
    expect(deltas.map(({ data }) => data['text'])).toEqual(['Somebody is ', 'on the way.']);
  });

  test('goes on with failures that repeat, an action and a question', async () => {
    const viewers = await ask(session, 'Measure it');
    for (const title of ['restart', 'Go on?']) await approve(title);
    await heard(viewers);
    const turn = shownTurns(live.console).at(-1);
    expect(turn?.diagnosis).toBe('It was measured, and you said approve.');
    expect(turn?.cards.at(-1)).toMatchObject({ agent: 'Go on?', response: 'Approved by local.' });
  });

  test('[V260] is followed from every place while it works, opened again from its own turn on, and keeps what was said when it is stopped', async () => {
    const viewers = await ask(session, 'And the fibre?');
    await viewers['console-dotted'].until((body) => body.includes('"is"'));
    for (const as of generations) {
      const log = await at.ask(`/api/sessions/${session}?as=${as}`);
      const count = log.text.match(/"event":"/g)?.length ?? 0;
      const from = streamViewer({ url: at.url, path: `/api/sessions/${session}/stream?since=0&as=${as}` });
      await from.until((body) => idsIn(body).length === count);
      for (let since = 0; since < count; since += 1) {
        const path = `/api/sessions/${session}/stream?since=${since}&as=${as}`;
        const back = streamViewer({ url: at.url, path });
        await back.until((body) => idsIn(body).length === count - since);
        expect(from.body.endsWith(back.body)).toBe(true);
        back.socket.destroy();
      }
      const again = streamViewer({ url: at.url, path: `/api/sessions/${session}/stream?as=${as}` });
      await again.until((body) => idsIn(body).includes(count));
      expect(live[as].length, 'the turns before').toBe((idsIn(again.body)[0] ?? 0) - 1);
      expect(toldIn(again.body, as)[0]).toMatchObject({
        event: 'user_message',
        data: { text: 'And the fibre?' },
      });
      again.socket.destroy();
      expect(from.body).not.toContain('event: done');
      from.socket.destroy();
    }
    await at.ask(`/api/sessions/${session}/cancel`, { method: 'POST' });
    await heard(viewers);
    const { json } = await at.ask(`/api/sessions/${session}`);
    expect(json).toMatchObject({
      status: 'cancelled',
      diagnosis: 'The fibre is',
      run_meta: { steps: 0 },
      step_count: live.console.filter(({ event }) => event === 'step_started').length,
      turn_count: 3,
    });
  });

  test.for(generations)('[V80] ends each stream of %s once, from every place', async (as) => {
    const path = `/api/sessions/${session}/stream`;
    ({ text: whole[as] } = await at.ask(`${path}?as=${as}`));
    const ids = idsIn(whole[as]);
    expect(ids).toEqual(ids.map((_, i) => i + 1));
    const done = 'event: done\ndata: {"status":"cancelled"}\n\n';
    expect(whole[as].split('event: done\n')).toHaveLength(2);
    expect(whole[as].endsWith(done)).toBe(true);
    for (let since = 0; since <= ids.length; since += 1) {
      const { text } = await at.ask(`${path}?since=${since}&as=${as}`);
      expect(whole[as].endsWith(text)).toBe(true);
      expect(idsIn(text)).toEqual(ids.slice(since));
    }
    expect((await at.ask(`${path}?since=${ids.length}&as=${as}`)).text).toBe(done);
    const headers = { 'last-event-id': `${ids.length}` };
    expect((await at.ask(`${path}?as=${as}`, { headers })).status).toBe(204);
  });

  test.for(generations)('keeps every rule of %s live, coming back, and opened again', async (as) => {
    expect(withoutEnd(toldIn(whole[as], as))).toEqual(live[as]);
    const log = await logOf(session, as);
    expect(log).toHaveLength(live[as].length);
    expectRules(live[as]);
    expectRules(log);
    const [seen, opened] = [shownTurns(live[as]), shownTurns(log)];
    expect(opened.map(({ diagnosis }) => diagnosis)).toEqual(seen.map(({ diagnosis }) => diagnosis));
    // Opened again, cards stand as they were begun: whoever asked above those they asked.
    const order = opened.map(({ cards }) => cards.map(({ step }) => step));
    expect(order).toEqual(seen.map(({ cards }) => cards.map(({ step }) => step).toSorted((a, b) => a - b)));
    expect(seen.map(({ cards }) => cards.map(({ step }) => step))).not.toEqual(order);
  });
});
