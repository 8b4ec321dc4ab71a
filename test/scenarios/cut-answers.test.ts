// Answers that a back end did not end by itself: cut off by a limit of length, ended by a filter, or without what they promise.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Turn } from '../../src/gateways/gateway.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { aiSdkGateway } from '../../src/index.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { frames } from '../chat-frames.ts';
import { dial } from '../dial-frames.ts';
import { serving, textAt } from '../serving.ts';
import { openUpstream, sse, type Act, type Upstream } from '../upstream.ts';

let upstream: Upstream;
beforeEach(async () => {
  vi.stubEnv('GPA_KEY', 'dial-key-83fc1');
  upstream = await openUpstream();
});
afterEach(() => upstream.close());

async function asked(config: ConfigInput): Promise<FlatTree> {
  const at = await serving({ config });
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'Tell me all.' } } }), 'run');
  await at.ask(`/api/runs/${run}/events`);
  return (await at.ask(`/api/runs/${run}`)).json as FlatTree;
}

const told = ({ notices }: FlatTree): string[] => notices.map(({ code, message }) => `${code}: ${message}`);

const cutOff = 'ANSWER_CUT_OFF: The answer was cut off by the length limit of its model: its end is missing.';
const filtered = 'ANSWER_FILTERED: The answer was ended by a content filter: something is missing.';
const noCalls = 'CALLS_MISSING: The answer ended to ask for tools, and asked for none.';

describe.for(['chat', 'ai-sdk'] as const)('a model over %s', (wire) => {
  const ends = (reason: string, text = ''): Act[] => [
    sse,
    { send: (text === '' ? '' : frames.text(text)) + frames.finish(reason) + frames.done },
    'end',
  ];
  const talk = (): ConfigInput => {
    const apps = { talk: { flow: 'converse', settings: { agent: 'm' } } } as const;
    if (wire === 'chat')
      return { models: { m: { baseUrl: upstream.url, model: 'm' } }, agents: { m: { model: 'm' } }, apps };
    const gateway = aiSdkGateway(createOpenAICompatible({ name: 'fake', baseURL: upstream.url })('m'));
    return { agents: { m: { gateway, effect: 'pure' } }, apps };
  };

  test('[G29] [C88] that is cut off by its length limit says so, at its step and with the answer', async () => {
    upstream.answer(ends('length', 'There are three paths: A, B and'));
    const tree = await asked(talk());
    expect(tree).toMatchObject({
      status: 'completed',
      answer:
        'There are three paths: A, B and\n\n[This answer was cut off by the length limit of the model: its end is missing.]',
    });
    expect(told(tree)).toEqual([cutOff]);
    expect(tree.steps.find(({ kind }) => kind === 'turn')?.notices).toMatchObject([
      { code: 'ANSWER_CUT_OFF' },
    ]);
  });

  test('[G29] [C88] that a filter ended says so', async () => {
    upstream.answer(ends('content_filter', 'The first path is'));
    const tree = await asked(talk());
    expect(tree.answer).toBe(
      'The first path is\n\n[This answer was ended by a content filter: something is missing.]',
    );
    expect(told(tree)).toEqual([filtered]);
  });

  test('[G30] [C89] that a filter ended without a word has failed by that name, and is asked once', async () => {
    upstream.answer(ends('content_filter'));
    const tree = await asked(talk());
    expect(tree).toMatchObject({
      status: 'failed',
      failure: {
        code: 'refused',
        message: 'A content filter ended the answer of m before it said anything.',
      },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  test('[G31] that ends to ask for tools, and asks for none, is marked', async () => {
    upstream.answer(ends('tool_calls', 'Let me look.'));
    const tree = await asked(talk());
    expect(tree).toMatchObject({ status: 'completed', answer: 'Let me look.' });
    expect(told(tree)).toEqual([noCalls]);
  });

  test('[C90] that is cut off before it says anything is asked once more, with the reason', async () => {
    upstream.answer(ends('length'));
    const tree = await asked(talk());
    expect(upstream.requests).toHaveLength(2);
    expect(tree.steps.find(({ kind }) => kind === 'verdict')?.text).toBe(
      'The model was cut off by its length limit before it said anything, so it is asked once more.',
    );
    expect(tree.failure?.message).toBe('The model was cut off by its length limit before it said anything.');
  });
});

describe('a deployment of DIAL', () => {
  const ends = (reason: string, ...said: string[]): Act[] => [
    sse,
    { send: said.join('') + dial.delta({}, reason) + dial.done },
    'end',
  ];
  const sent: Turn[] = [];
  const team = (writer = 'Written.'): ConfigInput => ({
    agents: {
      router: {
        gateway: scriptedGateway(() => [{ type: 'say', text: '{"agent_name":"gpa"}' }]),
        effect: 'pure',
      },
      writer: {
        gateway: scriptedGateway((turn) => {
          sent.push(turn);
          const reason = writer === 'Written.' ? 'stop' : 'length';
          return [
            { type: 'say', text: writer },
            { type: 'turn.finished', reason },
          ];
        }),
        effect: 'pure',
      },
      gpa: { dial: { baseUrl: upstream.url, deployment: 'gpa', key: { env: 'GPA_KEY' } }, trusted: true },
    },
    apps: {
      team: {
        flow: 'coordinate',
        settings: {
          router: 'router',
          writer: 'writer',
          fallback: 'gpa',
          agents: [{ name: 'gpa', title: 'General', description: '' }],
        },
      },
    },
  });
  const toldWriter = (): string => sent.at(-1)?.messages.at(-1)?.text ?? '';

  test.for([
    ['length', cutOff, '[It is not finished: it was cut off by the length limit of the model.]'],
    ['content_filter', filtered, '[It is not finished: it was ended by a content filter.]'],
  ] as const)(
    '[G29] [K53] that ends with %s says so, and the writer is told',
    async ([reason, notice, words]) => {
      upstream.answer(ends(reason, dial.text('The first path is')));
      const tree = await asked(team());
      expect(told(tree)).toEqual([notice]);
      expect(toldWriter()).toContain(`Agent Response (General):\nThe first path is\n\n${words}`);
      expect(tree).toMatchObject({ status: 'completed', answer: 'Written.' });
    },
  );

  test('[G30] that a filter ended without anything to use has failed by that name', async () => {
    upstream.answer(ends('content_filter', dial.stage({ index: 0, name: 'Look', status: 'completed' })));
    const tree = await asked(team());
    const message =
      'A content filter ended the answer of gpa before it said anything. It may have acted on the message all the same.';
    expect(tree.steps.find(({ agent, kind }) => agent === 'gpa' && kind === 'turn')).toMatchObject({
      status: 'failed',
      failure: { code: 'refused', message },
    });
    expect(toldWriter()).toContain(`[failed: ${message}]`);
  });

  test('[K53] what the writer could not finish says so', async () => {
    upstream.answer(ends('stop', dial.text('Three paths.')));
    const tree = await asked(team('There are'));
    expect(tree.answer).toBe(
      'There are\n\n[This answer was cut off by the length limit of the model: its end is missing.]',
    );
    expect(told(tree)).toEqual([cutOff]);
  });
});
