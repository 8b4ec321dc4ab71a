import type OpenAI from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { clientOf, expectNothingPrinted, teamServer } from '../official/openai.ts';
import { approvalIn, stepsIn, type ResponseStep } from '../official/openai-steps.ts';
import { pathsBy } from '../official/paths.ts';
import { officialServer } from '../official/process.ts';
import { half, ordersIn, teamAnswer, teamPieces, teamTree } from '../official/team.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { appWith, serving } from '../serving.ts';

expectNothingPrinted();

type Event = OpenAI.Responses.ResponseStreamEvent;

interface Heard {
  readonly response: OpenAI.Responses.Response;
  readonly events: readonly Event[];
  readonly steps: ReadonlyMap<string, ResponseStep>;
}

async function heard(client: OpenAI, body: Parameters<OpenAI['responses']['stream']>[0]): Promise<Heard> {
  const stream = client.responses.stream(body);
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return { response: await stream.finalResponse(), events, steps: stepsIn(events) };
}

const model = 'team';

function approving(response: OpenAI.Responses.Response, approve = true): object {
  const input = [{ type: 'mcp_approval_response', approval_request_id: approvalIn(response), approve }];
  return { model, previous_response_id: response.id, input };
}

function runIn({ id }: OpenAI.Responses.Response): string {
  return id.slice('resp_'.length).split('.')[0] ?? '';
}

describe('[OA3] the official client, unmodified, is put through a whole scenario', () => {
  test('nested agents, a tool, an approval, and the answer of the journal', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const first = await heard(client, { model, input: 'Frankenstein, please' });
    expect(first.response).toMatchObject({
      status: 'completed',
      output: [{ type: 'message' }, { type: 'mcp_approval_request', name: 'place_order' }],
      output_text: expect.stringContaining('exactly these arguments'),
    });
    expect(ordersIn(at.folder)).toEqual([]);
    const second = await heard(client, approving(first.response) as never);
    expect(second.response).toMatchObject({
      status: 'completed',
      output_text: teamAnswer,
      usage: { input_tokens: 50, output_tokens: 17 },
    });
    expect(ordersIn(at.folder)).toEqual(['{"item":"Frankenstein"}']);
    expect(pathsBy(new Map([...first.steps, ...second.steps]))).toEqual(teamTree);
    expect([...second.steps.values()].map(({ status }) => status)).not.toContain('in_progress');
    const { json } = await at.ask(`/api/runs/${runIn(first.response)}`);
    expect((json as FlatTree).answer).toBe(teamAnswer);
    const kept = await client.responses.retrieve(second.response.id);
    expect({ ...kept, output_parsed: null }).toMatchObject({ ...second.response, output: kept.output });
    expect((await heard(client, approving(first.response) as never)).response.id).toBe(second.response.id);
    expect(ordersIn(at.folder)).toHaveLength(1);
  });

  test('[OA4] after a cut at every event the client comes to the same end', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const first = await heard(client, { model, input: 'Frankenstein, please' });
    const second = await heard(client, approving(first.response) as never);
    for (const { response, events } of [first, second]) {
      for (const [i, { sequence_number: number }] of events.entries()) {
        const rest = await client.responses.retrieve(response.id, { stream: true, starting_after: number });
        const tail: Event[] = [];
        for await (const event of rest) tail.push(event);
        expect([...events.slice(0, i + 1), ...tail].map(told)).toEqual(events.map(told));
      }
      const replayed = client.responses.stream({ response_id: response.id, starting_after: 3_000_000 });
      expect(await replayed.finalResponse()).toEqual(response);
    }
  });

  test('a crash in the middle of the answer: the client goes on after the last event it had', async () => {
    const server = await officialServer();
    const client = clientOf(server.url, { maxRetries: 0 });
    const first = await heard(client, { model, input: 'Frankenstein, please' });
    server.still(true);
    const events: Event[] = [];
    const cut = (async () => {
      const stream = await client.responses.create({
        ...(approving(first.response) as { input: [] }),
        stream: true,
      });
      for await (const event of stream) {
        events.push(event);
        if (textIn(events) !== teamPieces.slice(0, half).join('')) continue;
        void server.crash();
        server.still(false);
      }
    })();
    await expect(cut).rejects.toThrow();
    await vi.waitFor(() => fetch(`${server.url}/healthz`), { interval: 100 });
    const [begun] = events;
    const id = begun?.type === 'response.created' ? begun.response.id : '';
    const rest = await client.responses.retrieve(id, {
      stream: true,
      starting_after: events.at(-1)?.sequence_number ?? 0,
    });
    for await (const event of rest) events.push(event);
    const last = events.at(-1);
    expect(last?.type === 'response.completed' ? last.response.status : last).toBe('completed');
    const whole = client.responses.stream({ response_id: id });
    expect((await whole.finalResponse()).output_text, 'the last attempt only').toBe(teamAnswer);
    const all: Event[] = [];
    for await (const event of client.responses.stream({ response_id: id })) all.push(event);
    expect(all.map(told)).toEqual(events.map(told));
    expect(pathsBy(new Map([...first.steps, ...stepsIn(all)]))).toEqual(teamTree);
    expect(server.orders()).toHaveLength(1);
    expect((await server.tree(runIn(first.response))).answer).toBe(teamAnswer);
  });

  test('to cancel stops the run, and whoever listens hears it', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const first = await heard(client, { model, input: 'slow Frankenstein' });
    const going = await client.responses.create({
      ...(approving(first.response) as { input: [] }),
      stream: true,
    });
    const events: Event[] = [];
    for await (const event of going) {
      events.push(event);
      if (textIn(events) === teamPieces.slice(0, half).join('') && events.at(-1)?.type.endsWith('delta'))
        expect(await client.responses.cancel(first.response.id)).toMatchObject({ status: 'cancelled' });
    }
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } });
    expect(pathsBy(new Map([...first.steps, ...stepsIn(events)]))).toEqual(teamTree);
    expect(ordersIn(at.folder)).toHaveLength(1);
    const tree = (await at.ask(`/api/runs/${runIn(first.response)}`)).json as FlatTree;
    expect(tree.status).toBe('stopped');
  });
});

function told({ type, sequence_number: number }: Event): string {
  return `${number} ${type}`;
}

function textIn(events: readonly Event[]): string {
  return events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
}

test('[OA5] a conversation goes on after a response, by its name, or as the client sends it', async () => {
  let seen: readonly object[] = [];
  const flow = {
    name: 'echo',
    version: '1',
    async run(scope: { history(): Promise<readonly object[]> }, { text }: { text: string }): Promise<string> {
      seen = await scope.history();
      return `You said ${text}.`;
    },
  };
  const at = await serving({ config: { apps: { echo: { flow } } } });
  const client = clientOf(at.url);
  const create = (body: object): Promise<OpenAI.Responses.Response> =>
    client.responses.create({ model: 'echo', ...body } as { model: string; input: string });
  const one = await create({ input: 'One' });
  expect(one).toMatchObject({ status: 'completed', output_text: 'You said One.' });
  const two = await create({ input: 'Two', previous_response_id: one.id });
  expect(seen).toMatchObject([{ text: 'One', answer: 'You said One.' }]);
  await create({ input: 'Three', previous_response_id: two.id });
  expect(seen).toMatchObject([{ text: 'One' }, { text: 'Two' }]);
  await create({ input: 'Another two', previous_response_id: one.id });
  expect(seen, 'a branch of it').toMatchObject([{ text: 'One' }]);
  expect(seen).toHaveLength(1);
  await create({ input: 'A', conversation: 'mine' });
  await create({ input: 'B', conversation: { id: 'mine' } });
  expect(seen).toMatchObject([{ text: 'A', answer: 'You said A.' }]);
  const sent = [
    { role: 'user', content: 'Uno' },
    { role: 'assistant', content: 'Dos' },
    { role: 'user', content: 'Tres' },
  ];
  const three = await create({ input: sent });
  expect(seen).toMatchObject([{ text: 'Uno', answer: 'Dos' }]);
  await create({ input: 'Quatro', previous_response_id: three.id });
  expect(seen).toMatchObject([{ text: 'Uno', answer: 'Dos' }, { text: 'Tres' }]);
  await expect(create({ input: 'x', previous_response_id: 'resp_run_none' })).rejects.toMatchObject({
    status: 404,
  });
  const behind = await create({ input: 'later', background: true });
  await vi.waitFor(async () =>
    expect(await client.responses.retrieve(behind.id)).toMatchObject({ status: 'completed' }),
  );
});

test('[OA6] a run that fails is a response that failed', async () => {
  const failing = appWith(async () => Promise.reject(new Error('broken')), 'failing');
  const at = await serving({ config: { apps: { failing } } });
  const client = clientOf(at.url);
  const { response } = await heard(client, { model: 'failing', input: 'x' });
  expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
});
