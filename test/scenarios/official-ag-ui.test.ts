import { HttpAgent } from '@ag-ui/client';
import { describe, expect, test, vi } from 'vitest';
import { listen, protobuf, quietly } from '../official/ag-ui-client.ts';
import { answerIn, Joining, pathsIn } from '../official/ag-ui-seen.ts';
import { teamServer } from '../official/openai.ts';
import { officialServer } from '../official/process.ts';
import { half, ordersIn, standStill, teamAnswer, teamPieces, teamTree } from '../official/team.ts';

const user = { id: 'u1', role: 'user', content: 'Frankenstein, please' } as const;

const forms = [
  { form: 'server-sent events', query: '' },
  { form: 'protobuf', query: '?format=protobuf' },
];

describe.for(forms)('[AG5] the official client, unmodified, over $form', ({ query }) => {
  test('nested agents, a tool, an interrupt that is resolved, and the answer of the journal', async () => {
    const at = await teamServer();
    const types = new Set<string | null>();
    const asking: typeof fetch = async (...given) => {
      const response = await fetch(...given);
      types.add(response.headers.get('content-type'));
      return response;
    };
    const agent = new HttpAgent({
      url: `${at.url}/ag-ui/team${query}`,
      initialMessages: [user],
      fetch: asking,
    });
    const first = await listen(agent);
    expect(first).toMatchObject({ end: 'interrupt', printed: [] });
    const [interrupt] = first.interrupts;
    expect(interrupt).toMatchObject({
      reason: 'approval',
      metadata: { allowed: expect.arrayContaining(['approve']) },
    });
    expect(ordersIn(at.folder)).toEqual([]);
    const without = await quietly(async () => {
      await expect(agent.runAgent({})).rejects.toThrow('pending interrupt');
    });
    expect(without).toEqual([]);
    const resume = [
      { interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } },
    ];
    const second = await listen(agent, { resume });
    expect(second).toMatchObject({
      end: 'success',
      printed: [],
      interrupts: [],
      state: { status: 'completed' },
    });
    expect(answerIn(second)).toBe(teamAnswer);
    expect(ordersIn(at.folder)).toEqual(['{"item":"Frankenstein"}']);
    expect(pathsIn(second)).toEqual(teamTree);
    const [run] = second.order.flatMap((told) => /"runId":"([^"]+)"/.exec(told)?.[1] ?? []);
    const { json } = await at.ask(`/api/runs/${run}`);
    expect(json).toMatchObject({ status: 'completed', answer: teamAnswer });
    expect(second.messages.find(({ role }) => role === 'reasoning')).toMatchObject({
      content: 'They want to know when.',
    });
    expect([...types]).toEqual([query === '' ? expect.stringMatching(/^text\/event-stream/) : protobuf]);
  });

  test('a no: nothing is done', async () => {
    const at = await teamServer();
    const agent = new HttpAgent({ url: `${at.url}/ag-ui/team${query}`, initialMessages: [user] });
    const { interrupts } = await listen(agent);
    const resume = interrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved' as const,
      payload: { approved: false },
    }));
    const second = await listen(agent, { resume });
    expect(second).toMatchObject({ end: 'success', printed: [] });
    expect(ordersIn(at.folder)).toEqual([]);
  });

  test('stop: the outcome is cancelled, also for whoever watches', async () => {
    const at = await teamServer();
    const agent = new HttpAgent({
      url: `${at.url}/ag-ui/team${query}`,
      initialMessages: [{ ...user, content: 'slow Frankenstein' }],
      threadId: 'slow-one',
    });
    const { interrupts } = await listen(agent);
    standStill(at.folder, true);
    const going = listen(agent, {
      resume: interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' as const })),
    });
    const soFar = teamPieces.slice(0, half).join('');
    await vi.waitFor(() => expect(agent.messages.some(({ content }) => content === soFar)).toBe(true));
    const stop = {
      method: 'POST',
      body: '{"threadId":"slow-one"}',
      headers: { 'content-type': 'application/json' },
    };
    expect((await fetch(`${at.url}/ag-ui/team/stop`, stop)).status).toBe(204);
    const told = await going;
    expect(told).toMatchObject({ end: 'cancelled', printed: [], state: { status: 'stopped' } });
    expect(pathsIn(told)).toEqual(teamTree);
    expect(ordersIn(at.folder)).toHaveLength(1);
  });
});

/** A connection that is cut is the end of an answer: what the client throws then reaches nobody. */
async function gently(...given: Parameters<typeof fetch>): Promise<Response> {
  const { body, status, headers } = await fetch(...given);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of body ?? []) yield piece as Uint8Array;
    } catch {
      return;
    }
  }
  return new Response(ReadableStream.from(pieces()), { status, headers });
}

test('[AG6] a crash in the middle of the answer: whoever joins again comes to the same end', async () => {
  const server = await officialServer();
  const url = `${server.url}/ag-ui/team`;
  const place = { url, threadId: 'crashed' };
  const agent = new HttpAgent({ ...place, initialMessages: [user], fetch: gently });
  const { interrupts } = await listen(agent);
  server.still(true);
  const soFar = teamPieces.slice(0, half).join('');
  const resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' as const }));
  const going = listen(agent, { resume });
  const hasHalf = (): void => expect(agent.messages.some(({ content }) => content === soFar)).toBe(true);
  await vi.waitFor(hasHalf);
  await server.crash();
  server.still(false);
  expect(await going).toMatchObject({ end: 'nothing', printed: [] });
  await vi.waitFor(() => fetch(`${server.url}/healthz`), { interval: 100 });
  const again = new Joining({ ...place, initialMessages: agent.messages });
  let end = '';
  const printed = await quietly(async () => {
    await again.connectAgent({}, { onRunFinishedEvent: ({ outcome }) => void (end = outcome) });
  });
  expect({ end, printed, state: again.state }).toMatchObject({
    end: 'success',
    printed: [],
    state: { status: 'completed' },
  });
  expect(answerIn(again)).toBe(teamAnswer);
  expect(pathsIn(again)).toEqual(teamTree);
  expect(again.messages.filter(({ role }) => role === 'user')).toMatchObject([user]);
  expect(server.orders()).toEqual(['{"item":"Frankenstein"}']);
});
