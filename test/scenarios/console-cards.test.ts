// Step cards of delegated work, from real sockets of agents to the frames of a console.
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { converse } from '../../src/flows/converse/converse.ts';
import { coordinate } from '../../src/flows/coordinate/coordinate.ts';
import { dialGateway } from '../../src/gateways/dial/dial.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { sectionedGateway } from '../../src/gateways/conversation/sectioned.ts';
import { RunError } from '../../src/run/failure.ts';
import { functionTool } from '../../src/tools/function.ts';
import { ConsoleFrame, DottedFrame } from '../../src/wire/console.ts';
import { sseReader } from '../../src/wire/sse.ts';
import { dial } from '../dial-frames.ts';
import { serving, shareServing, textAt, type Serving } from '../serving.ts';
import { openStrictDial } from '../strict-dial.ts';
import { streamViewer } from '../stream.ts';
import { sse, type Act, type Upstream } from '../upstream.ts';

const graphText = [
  '---QUERY---\nMATCH (l:Link) RETURN l\n',
  '---RESULTS---\n{"columns":[{"name":"n","type":"node"}],"data":[{"n":{"id":"SYD"}}]}\n',
  '---QUERY---\nSELECT cpu\n---RESULTS---\n{"columns":[{"name":"cpu"}],"rows":[{"cpu":97}]}\n',
  '---CITATIONS---\n- Runbook 4: https://x.test/4\n---ANALYSIS---\nSYD is hot.',
];
const action = { status: 'dispatched', dispatch_id: 'D-1', engineer: { name: 'Ana' } };
const attached = {
  chart: { type: 'application/vnd.plotly.v1+json', title: 'cpu', data: '{"data":[{"y":[1,2]}]}' },
  action: {
    type: 'application/json',
    title: 'dispatch',
    data: JSON.stringify({ is_action: true, name: 'dispatch_engineer', action }),
  },
};

const tasks = [
  { agent: 'graph', instructions: 'Which links?', reasoning: 'The graph has the links.' },
  { agent: 'books', instructions: null, reasoning: null },
  { agent: 'field', instructions: 'Send somebody.', reasoning: 'Somebody must look.' },
];

let at: Serving;
let peers: Record<'graph' | 'books' | 'field', Upstream>;
const toolGates = new Map<string, PromiseWithResolvers<void>>();

beforeAll(() =>
  shareServing(async () => {
    peers = { graph: await openStrictDial(), books: await openStrictDial(), field: await openStrictDial() };
    const remote = (name: keyof typeof peers) => ({
      gateway: sectionedGateway(dialGateway({ baseUrl: peers[name].url, deployment: name, key: 'k' }), name),
    });
    const say = (text: string) => ({
      gateway: scriptedGateway(() => [{ type: 'say', text }]),
      effect: 'pure' as const,
    });
    const plan = JSON.stringify({ strategy: 'parallel', reasoning: 'Three know a part.', tasks });
    const noc = coordinate({
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
      async run({ query }) {
        await toolGates.get(query)?.promise;
        if (query === 'C') throw new RunError('unavailable', 'The probe of C is broken.');
        return `${query} is fine`;
      },
    });
    const offers = [{ name: measure.name, description: measure.description, schema: measure.schema }];
    const settings = {
      agent: 'chatty',
      system: 'Help.',
      tools: offers,
      rules: { preset: 'parallel' as const },
      name: 'chat',
    };
    at = await serving({
      config: {
        agents: {
          router: say(plan),
          writer: say('Somebody is on the way.'),
          graph: remote('graph'),
          books: remote('books'),
          field: remote('field'),
          chatty: { gateway: scriptedGateway(chatty), effect: 'pure' },
        },
        tools: [measure],
        apps: { noc: { flow: noc }, chat: { flow: converse(settings) } },
      },
    });
  }),
);

afterAll(async () => {
  for (const peer of Object.values(peers)) await peer.close();
});

/** Asks for three measurements at once, the first time; then it answers. */
function chatty({ messages }: { readonly messages: readonly { readonly text: string }[] }) {
  if (messages.some(({ text }) => text.includes('is fine')))
    return [{ type: 'say' as const, text: 'All measured.' }];
  return ['A', 'B', 'C'].map((query) => ({
    type: 'call' as const,
    call: `call-${query}`,
    tool: 'measure',
    arguments: JSON.stringify({ query }),
  }));
}

const answer = (...frames: string[]): Act[] => [
  sse,
  ...[dial.role, ...frames, dial.stop, dial.done].map((send) => ({ send })),
  'end',
];

function framesIn(text: string): ConsoleFrame[] {
  const frames: ConsoleFrame[] = [];
  sseReader().read(Buffer.from(text), ({ event, data }) =>
    frames.push(ConsoleFrame.parse({ event, data: JSON.parse(data) as unknown })),
  );
  return frames;
}

type DataOf<Event> = Extract<ConsoleFrame, { event: Event }>['data'];
function all<Event extends ConsoleFrame['event']>(event: Event, text: string): DataOf<Event>[] {
  return framesIn(text).flatMap((frame) => (frame.event === event ? [frame.data as DataOf<Event>] : []));
}

const count = (text: string, event: string): number => text.split(`event: ${event}\n`).length - 1;

async function started(app: string): Promise<{ readonly run: string; readonly session: string }> {
  const json = { app, input: { text: 'SYD is slow' }, labels: { scenario: app } };
  const begun = await at.ask('/api/runs', { json });
  return { run: textAt(begun, 'run'), session: textAt(begun, 'conversation') };
}

describe('a coordinator on a console', () => {
  const gates = { graph: Promise.withResolvers<void>(), books: Promise.withResolvers<void>() };
  let run = '';
  let session = '';

  test('[K20] shows every delegated call with agent, query and reasoning before anybody answers', async () => {
    peers.graph.answer([
      sse,
      { send: dial.role },
      { until: gates.graph.promise },
      ...graphText.map((text) => ({ send: dial.text(text) })),
      { send: dial.attachment({ index: 0, ...attached.chart }) + dial.stop + dial.done },
      'end',
    ]);
    peers.books.answer([
      sse,
      { send: dial.role },
      { until: gates.books.promise },
      { send: dial.error({ message: 'no books' }) },
      'hang',
    ]);
    peers.field.answer([sse, { send: dial.role }, 'hang']);
    ({ run, session } = await started('noc'));
    const viewer = streamViewer({ url: at.url, path: `/api/runs/${run}/events?as=console` });
    await viewer.until((body) => count(body, 'step_started') === 3);
    const [requests] = await Promise.all([
      peers.graph.request(0),
      peers.books.request(0),
      peers.field.request(0),
    ]);
    expect(requests.path).toContain('/deployments/graph/');
    expect(count(viewer.body, 'step_complete')).toBe(0);
    expect(all('step_started', viewer.body)).toMatchObject([
      { step: 1, agent: 'graph agent', query: 'Which links?', reasoning: 'The graph has the links.' },
      { step: 2, agent: 'books agent', query: 'SYD is slow', reasoning: 'Three know a part.' },
      { step: 3, agent: 'field agent', query: 'Send somebody.', reasoning: 'Somebody must look.' },
    ]);
    viewer.socket.destroy();
  });

  test('[K5] [P82] [P88] finishes each card for itself, the failed one as failed, with what its agent attached', async () => {
    gates.books.resolve();
    const viewer = streamViewer({ url: at.url, path: `/api/runs/${run}/events?as=console` });
    await viewer.until((body) => count(body, 'step_complete') === 1);
    expect(all('step_complete', viewer.body)).toMatchObject([
      {
        step: 2,
        agent: 'books agent',
        error: true,
        response: expect.stringMatching(/^FAILED: \[unavailable\] .*no books/),
      },
    ]);
    const lines = all('step_thinking', viewer.body).map(({ status }) => status);
    expect(lines.filter((line) => line.includes('no books'))).toEqual([]);
    gates.graph.resolve();
    await viewer.until((body) => count(body, 'step_complete') === 2);
    const [, graph] = all('step_complete', viewer.body);
    expect(graph).toMatchObject({
      step: 1,
      agent: 'graph agent',
      query: 'Which links?',
      response: 'SYD is hot.',
    });
    expect(graph).not.toHaveProperty('error');
    expect(graph?.visualizations?.map(({ type }) => type)).toEqual(['chart', 'graph', 'table', 'documents']);
    expect(graph?.visualizations?.[1]).toMatchObject({
      data: { query: 'MATCH (l:Link) RETURN l', data: [{ n: { id: 'SYD' } }] },
    });
    viewer.socket.destroy();
  });

  test('finishes a card that nobody will finish any more', async () => {
    await at.ask(`/api/sessions/${session}/cancel`, { method: 'POST' });
    const { text } = await at.ask(`/api/runs/${run}/events?as=console`);
    expect(all('step_complete', text).map(({ step, error }) => [step, error])).toEqual([
      [2, true],
      [1, undefined],
      [3, true],
    ]);
    expect(all('done', text)).toEqual([{ status: 'cancelled' }]);
  });

  test('goes on counting in the next turn, and shows the action that was taken', async () => {
    peers.graph.answer(answer(dial.text('Fine now.')));
    peers.books.answer(answer(dial.text('Page 4.')));
    peers.field.answer(answer(dial.text('Sent.'), dial.attachment({ index: 0, ...attached.action })));
    await at.ask(`/api/sessions/${session}/message`, { json: { text: 'And now?' } });
    const { text } = await at.ask(`/api/sessions/${session}/stream?since=0`);
    expect(all('step_started', text).map(({ step, agent }) => [step, agent])).toEqual([
      [1, 'graph agent'],
      [2, 'books agent'],
      [3, 'field agent'],
      [4, 'graph agent'],
      [5, 'books agent'],
      [6, 'field agent'],
    ]);
    const steps = all('step_complete', text).map(({ step }) => step);
    expect(steps.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(all('action_executed', text)).toMatchObject([
      { step: 6, action_name: 'dispatch_engineer', action_data: action },
    ]);
    expect(all('step_complete', text).find(({ step }) => step === 6)).toMatchObject({
      is_action: true,
      action,
      response: 'Action executed: dispatch_engineer',
    });
    expect(all('message', text).at(-1)).toEqual({ text: 'Somebody is on the way.' });
  });
});

describe('several calls in one step', () => {
  test('each have their own card, matched by its id, and all are finished when one fails', async () => {
    for (const query of ['A', 'B', 'C']) toolGates.set(query, Promise.withResolvers<void>());
    const { run } = await started('chat');
    const path = `/api/runs/${run}/events?as=console-dotted`;
    const viewer = streamViewer({ url: at.url, path });
    await viewer.until((body) => count(body, 'tool_call.start') === 3);
    expect(count(viewer.body, 'tool_call.complete')).toBe(0);
    // The last one first, so that no answer comes in the order of the questions.
    const order = ['C', 'B', 'A'];
    for (const [i, query] of order.entries()) {
      toolGates.get(query)?.resolve();
      await viewer.until((body) => count(body, 'tool_call.complete') === i + 1);
    }
    await viewer.closed;
    const frames: DottedFrame[] = [];
    sseReader().read(Buffer.from(viewer.body), ({ event, data }) =>
      frames.push(DottedFrame.parse({ event, data: JSON.parse(data) as unknown })),
    );
    const begun = frames.flatMap((frame) => (frame.event === 'tool_call.start' ? [frame.data] : []));
    const ended = frames.flatMap((frame) => (frame.event === 'tool_call.complete' ? [frame.data] : []));
    expect(begun.map(({ step, query }) => [step, query])).toEqual([
      [1, 'A'],
      [2, 'B'],
      [3, 'C'],
    ]);
    expect(new Set(begun.map(({ id }) => id)).size).toBe(3);
    expect(ended.map(({ query }) => query)).toEqual(order);
    for (const { id, query, step } of ended)
      expect(begun.find((card) => card.id === id)).toMatchObject({ query, step });
    expect(ended.map(({ response, error }) => [response, error])).toEqual([
      [expect.stringMatching(/^FAILED: .*C is broken/), true],
      ['B is fine', undefined],
      ['A is fine', undefined],
    ]);
  });
});
