import type OpenAI from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { clientOf, expectNothingPrinted, teamServer } from '../official/openai.ts';
import { fingerprintIn, toldIn, type ChatStep } from '../official/openai-steps.ts';
import { pathsBy } from '../official/paths.ts';
import { officialServer } from '../official/process.ts';
import { ordersIn, standStill, team, teamAnswer, teamPieces, half, teamTree } from '../official/team.ts';
import { serving, temporaryFolder } from '../serving.ts';
import { superseded } from '../../src/run/answer-text.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';

expectNothingPrinted();

type Message = OpenAI.ChatCompletionMessageParam;

interface Heard {
  readonly text: string;
  readonly run: string;
  readonly steps: ReadonlyMap<string, ChatStep>;
  readonly finish: string | null | undefined;
  readonly status: string | undefined;
  readonly reasoning: string;
}

async function heard(client: OpenAI, messages: readonly Message[], more: object = {}): Promise<Heard> {
  const stream = client.chat.completions.stream({ model: 'team', messages: [...messages] }, more);
  const steps = new Map<string, ChatStep>();
  let status: string | undefined;
  let run = '';
  let reasoning = '';
  for await (const chunk of stream) {
    const { x_step: step, x_run: told } = toldIn(chunk);
    if (step) steps.set(step.id, { ...steps.get(step.id), ...step });
    if (told) ({ status, id: run } = told);
    const delta = (chunk.choices[0]?.delta ?? {}) as { reasoning_content?: string };
    reasoning += delta.reasoning_content ?? '';
  }
  const [choice] = (await stream.finalChatCompletion()).choices;
  return {
    text: choice?.message.content ?? '',
    finish: choice?.finish_reason,
    status,
    run,
    steps,
    reasoning,
  };
}

const asked: Message = { role: 'user', content: 'Frankenstein, please' };

describe('[OA1] the official client, unmodified, is put through a whole scenario', () => {
  test('nested agents, a tool, an approval by its words, and the answer of the journal', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const first = await heard(client, [asked]);
    expect(first).toMatchObject({ finish: 'stop', status: 'waiting' });
    expect(first.text).toContain('place_order');
    expect(ordersIn(at.folder)).toEqual([]);
    const fingerprint = fingerprintIn(first.text);
    const said = { role: 'assistant', content: first.text } as const;
    const approving = [asked, said, { role: 'user', content: `approve ${fingerprint}` } as const];
    const second = await heard(client, approving);
    expect(second).toMatchObject({ text: teamAnswer, finish: 'stop', status: 'completed', run: first.run });
    expect(second.reasoning).toBe('They want to know when.');
    expect(ordersIn(at.folder)).toEqual(['{"item":"Frankenstein"}']);
    const all = new Map([...first.steps, ...second.steps]);
    expect(pathsBy(all)).toEqual(teamTree);
    expect([...second.steps.values()].every(({ status }) => status !== 'running')).toBe(true);
    const { json } = await at.ask(`/api/runs/${first.run}`);
    expect((json as FlatTree).answer).toBe(teamAnswer);
    expect(await heard(client, approving), 'the same again').toMatchObject({ text: teamAnswer });
    expect(ordersIn(at.folder)).toHaveLength(1);
  });

  test('after a cut at every frame, the client that asks again comes to the same end', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const first = await heard(client, [asked]);
    const approving = [asked, { role: 'user', content: `approve ${fingerprintIn(first.text)}` } as const];
    const whole = await heard(client, approving);
    for (let cut = 1; ; cut += 1) {
      const stream = await client.chat.completions.create({
        model: 'team',
        messages: approving,
        stream: true,
      });
      let frames = 0;
      for await (const _ of stream) if ((frames += 1) === cut) break;
      expect(await heard(client, approving)).toEqual(whole);
      if (frames < cut) break;
      expect(cut).toBeLessThan(200);
    }
    expect(ordersIn(at.folder)).toHaveLength(1);
  });

  test('whole answers, usage, models and errors', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const ask = (messages: Message[]): Promise<OpenAI.ChatCompletion> =>
      client.chat.completions.create({ model: 'team', messages });
    const { choices } = await ask([asked]);
    const content = choices[0]?.message.content ?? '';
    expect(content).toContain('place_order');
    const whole = await ask([asked, { role: 'user', content: `reject ${fingerprintIn(content)}` }]);
    expect(whole).toMatchObject({
      object: 'chat.completion',
      model: 'team',
      choices: [{ message: { content: teamAnswer }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 50, completion_tokens: 17, total_tokens: 67 },
    });
    expect(ordersIn(at.folder)).toEqual([]);
    expect((await client.models.list()).data).toMatchObject([{ id: 'team', object: 'model' }]);
    const wrong = client.chat.completions.create({ model: 'nobody', messages: [asked] });
    await expect(wrong).rejects.toMatchObject({ status: 404, code: 'unknown' });
    await expect(ask([asked, { role: 'user', content: `approve ${'0'.repeat(32)}` }])).rejects.toMatchObject({
      status: 404,
    });
    const usage: unknown[] = [];
    const stream = await client.chat.completions.create({
      model: 'team',
      messages: [asked],
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) if (chunk.usage) usage.push(chunk.usage);
    expect(usage).toHaveLength(1);
  });

  test('a crash in the middle of the answer: whoever asks again by the same key hears all of it', async () => {
    const server = await officialServer();
    const client = clientOf(server.url, { maxRetries: 0 });
    const first = await heard(client, [asked]);
    server.still(true);
    const approving = [asked, { role: 'user', content: `approve ${fingerprintIn(first.text)}` } as const];
    const stream = await client.chat.completions.create({ model: 'team', messages: approving, stream: true });
    let text = '';
    const cut = (async () => {
      for await (const { choices } of stream) {
        text += choices[0]?.delta.content ?? '';
        if (text === teamPieces.slice(0, half).join('')) {
          void server.crash();
          server.still(false);
        }
      }
    })();
    await expect(cut).rejects.toThrow();
    await vi.waitFor(() => fetch(`${server.url}/healthz`), { interval: 100 });
    const again = await heard(client, approving);
    expect(again.text).toBe(`${text}${superseded}${teamAnswer}`);
    expect(again).toMatchObject({ status: 'completed', finish: 'stop' });
    expect(pathsBy(new Map([...first.steps, ...again.steps]))).toEqual(teamTree);
    expect(server.orders()).toHaveLength(1);
    const block = await client.chat.completions.create({ model: 'team', messages: approving });
    expect(block.choices[0]?.message.content, 'the last attempt only').toBe(teamAnswer);
    expect((await server.tree(first.run)).answer).toBe(teamAnswer);
  });

  test('to leave stops nothing; to stop does, and whoever listens hears it', async () => {
    const at = await teamServer();
    const client = clientOf(at.url);
    const slow: Message = { role: 'user', content: 'slow Frankenstein' };
    const first = await heard(client, [slow]);
    const approving = [slow, { role: 'user', content: `approve ${fingerprintIn(first.text)}` } as const];
    const left = await client.chat.completions.create({ model: 'team', messages: approving, stream: true });
    for await (const { choices } of left) if (choices[0]?.delta.content) break;
    expect(await at.ask(`/api/runs/${first.run}`)).toMatchObject({ json: { status: 'running' } });
    const listening = heard(client, approving);
    await vi.waitFor(async () => {
      const { text } = await at.ask(`/api/runs/${first.run}`);
      expect(text).toContain(teamPieces[half - 1]?.trim());
    });
    await at.ask(`/api/runs/${first.run}/stop`, { json: {} });
    const told = await listening;
    expect(told).toMatchObject({ status: 'stopped', finish: 'stop' });
    expect(pathsBy(new Map([...first.steps, ...told.steps]))).toEqual(teamTree);
    expect(ordersIn(at.folder)).toHaveLength(1);
    expect((await at.ask(`/api/runs/${first.run}`)).json).toMatchObject({ status: 'stopped' });
  });
});

test('[OA2] the client’s own retry joins the run that its first request began', async () => {
  const folder = temporaryFolder();
  const at = await serving({ config: team(folder) });
  let tries = 0;
  const client = clientOf(at.url, {
    maxRetries: 2,
    async fetch(url: string, init: RequestInit) {
      const response = await fetch(url, init);
      tries += 1;
      if (tries > 1) return response;
      await response.text();
      throw new Error('the connection broke');
    },
  });
  const { choices } = await client.chat.completions.create({ model: 'team', messages: [asked] });
  expect(tries).toBe(2);
  expect(choices[0]?.message.content).toContain('place_order');
  expect(await at.ask('/api/runs')).toMatchObject({ json: { runs: [expect.anything()] } });
  expect(((await at.ask('/api/runs')).json as { runs: unknown[] }).runs).toHaveLength(1);
  standStill(folder, false);
});
