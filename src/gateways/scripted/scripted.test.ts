import { describe, expect, test } from 'vitest';
import type { AgentEvent, Message, Turn } from '../gateway.ts';
import { type Act, gatewayContract, type Plan, type Subject } from '../gateway.contract.ts';
import type { Move, Script } from './script.ts';
import { scriptedGateway } from './scripted.ts';

gatewayContract('scripted', async () => scriptedSubject());

/** A script has no connection; what stands for it is the wait that is left. */
function scriptedSubject(): Subject {
  const requests: { key: string; left: PromiseWithResolvers<void> }[] = [];
  const arrivals: PromiseWithResolvers<void>[] = [];
  let plans: Plan[] = [];

  const script = (turn: Turn): Move[] => {
    const plan = (plans.length > 1 ? plans.shift() : plans[0]) ?? [];
    requests.push({ key: turn.idempotencyKey, left: Promise.withResolvers() });
    for (const { resolve } of arrivals.splice(0)) resolve();
    if (plan === 'busy') return [{ type: 'turn.retried', reason: 'busy' }, ...script(turn)];
    if (plan === 'refuse') return [{ type: 'fail', code: 'refused', message: 'Not for you.' }];
    return plan.flatMap(movesOf);
  };
  const sleep = (_: number, signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      const request = requests.at(-1);
      signal.addEventListener('abort', () => {
        request?.left.resolve();
        reject(signal.reason);
      });
    });
  const gateway = scriptedGateway(script, { sleep });

  return {
    gateway: {
      takeTurn(turn, signal) {
        // Between two steps there is no wait to be left.
        signal.addEventListener('abort', () => requests.at(-1)?.left.resolve());
        return gateway.takeTurn(turn, signal);
      },
    },
    secret: 'sk-none-was-given',
    plan: (...next) => void (plans = next),
    async request(i) {
      for (;;) {
        const request = requests[i];
        if (request !== undefined) return { key: request.key, left: request.left.promise };
        const arrival = Promise.withResolvers<void>();
        arrivals.push(arrival);
        await arrival.promise;
      }
    },
    get requests() {
      return requests.length;
    },
    close: async () => undefined,
  };
}

function movesOf(act: Act): Move[] {
  switch (act.do) {
    case 'say':
      return [{ type: 'say', text: act.text }];
    case 'think':
      return [{ type: 'say', text: act.text, channel: 'reasoning' }];
    case 'call':
      return [{ type: 'call', call: act.call, tool: act.tool, arguments: [...act.pieces] }];
    case 'use':
      return [{ type: 'usage.reported', usage: { input: act.input, output: act.output } }];
    case 'finish':
      return [{ type: 'turn.finished', reason: act.reason }];
    case 'hang':
      return [{ type: 'wait', ms: 1 }];
    case 'break':
      return [{ type: 'fail', code: 'unavailable', message: 'The connection was lost.' }];
  }
}

const ask = (...messages: Message[]): Turn => ({ messages, idempotencyKey: 'k', conversation: 'c' });
const user = (text: string): Message => ({ role: 'user', text });
const assistant = (text: string): Message => ({ role: 'assistant', text });
const tool = (text: string): Message => ({ role: 'tool', text, call: '1' });
const silent = new AbortController().signal;

async function chunksOf(script: Script, turn: Turn, signal = silent): Promise<(readonly AgentEvent[])[]> {
  return Array.fromAsync(scriptedGateway(script).takeTurn(turn, signal));
}

async function textOf(script: Script, turn: Turn): Promise<string> {
  const events = (await chunksOf(script, turn)).flat();
  return events.map((event) => (event.type === 'text.appended' ? event.text : '')).join('');
}

describe('what is played', () => {
  test('each piece of streamed text is a chunk of its own', async () => {
    expect(await chunksOf([[{ type: 'say', text: ['a', 'b'] }]], ask(user('hi')))).toEqual([
      [{ type: 'text.appended', text: 'a' }],
      [{ type: 'text.appended', text: 'b' }],
      [{ type: 'turn.finished', reason: 'stop' }],
    ]);
  });

  test('the pieces of a call name their tool once, and the turn finishes for its calls', async () => {
    const call: Move = { type: 'call', call: 'c1', tool: 'search', arguments: ['{"q":', '1}'] };
    expect(await chunksOf([[call]], ask(user('hi')))).toEqual([
      [{ type: 'call.appended', call: 'c1', tool: 'search', text: '{"q":' }],
      [{ type: 'call.appended', call: 'c1', text: '1}' }],
      [{ type: 'turn.finished', reason: 'calls' }],
    ]);
  });

  test('every event of the port can be a move, alone or together in one chunk', async () => {
    const events: AgentEvent[] = [
      { type: 'turn.retried', reason: 'busy' },
      { type: 'stage.opened', stage: 's', title: 'Look' },
      { type: 'stage.titled', stage: 's', text: ' up' },
      { type: 'stage.appended', stage: 's', text: 'found' },
      { type: 'stage.attached', stage: 's', item: { kind: 'citation', title: 'a book' } },
      { type: 'stage.closed', stage: 's', outcome: 'completed' },
      { type: 'item.attached', item: { kind: 'action', name: 'open', data: { id: 1 } } },
      { type: 'state.reported', state: { turn: 1 } },
      { type: 'usage.reported', usage: { input: 1, output: 2 } },
      { type: 'notice.posted', code: 'X', message: 'y' },
      { type: 'question.asked', question: { id: 'q', title: 'May I?' } },
      { type: 'turn.finished', reason: 'length' },
    ];
    const [first] = await chunksOf([[{ type: 'together', events }]], ask(user('hi')));
    expect(first).toEqual(events);
    expect((await chunksOf([events], ask(user('hi')))).map(([event]) => event)).toEqual(events);
  });

  test.for<{ name: string; piece: unknown }>([
    { name: 'no event', piece: { type: 'nonsense' } },
    { name: 'a missing field', piece: { type: 'text.appended' } },
    { name: 'text that is not JSON', piece: '{"choices":' },
    { name: 'nothing', piece: undefined },
  ])('$name from upstream becomes a notice, and the turn goes on', async ({ piece }) => {
    const events = (
      await chunksOf(
        [
          [
            { type: 'raw', piece },
            { type: 'say', text: 'on' },
          ],
        ],
        ask(user('')),
      )
    ).flat();
    expect(events[0]).toMatchObject({ type: 'notice.posted', code: 'UPSTREAM_MALFORMED' });
    expect(events[1]).toEqual({ type: 'text.appended', text: 'on' });
  });

  test('a raw piece that is right after all is told as it is', async () => {
    const piece = { type: 'text.appended', text: 'fine' };
    expect((await chunksOf([[{ type: 'raw', piece }]], ask(user(''))))[0]).toEqual([piece]);
  });

  test('a failure comes after what was said before it, with its code', async () => {
    const moves: Move[] = [
      { type: 'say', text: 'half' },
      { type: 'fail', code: 'unavailable', message: 'gone', retryable: true },
    ];
    const told: AgentEvent[] = [];
    const play = async (): Promise<void> => {
      for await (const events of scriptedGateway([moves]).takeTurn(ask(user('')), silent))
        told.push(...events);
    };
    await expect(play()).rejects.toMatchObject({
      failure: { code: 'unavailable', message: 'gone', retryable: true },
    });
    expect(told).toEqual([{ type: 'text.appended', text: 'half' }]);
  });

  test('delays go through the sleep that was given', async () => {
    const slept: number[] = [];
    const sleep = async (ms: number): Promise<void> => void slept.push(ms);
    const gateway = scriptedGateway([[{ type: 'wait', ms: 60_000 }]], { sleep });
    await Array.fromAsync(gateway.takeTurn(ask(user('')), silent));
    expect(slept).toEqual([60_000]);
  });
});

describe('which turn is played', () => {
  const say = (text: string): Move[] => [{ type: 'say', text }];

  test.for<{ name: string; turn: Turn; text: string }>([
    { name: 'the first at the start', turn: ask(user('a')), text: '1' },
    { name: 'the second after an answer', turn: ask(user('a'), assistant('x'), user('b')), text: '2' },
    {
      name: 'the second after one answer with two results',
      turn: ask(user('a'), assistant(''), tool('x'), tool('y')),
      text: '2',
    },
    {
      name: 'the third after two results told in boxes',
      turn: ask(user('a'), { role: 'system', text: '═\nTOOL RESULT: a\n═\n{}\n═\nTOOL RESULT: b\n═' }),
      text: '3',
    },
  ])('in order: $name', async ({ turn, text }) => {
    expect(await textOf([say('1'), say('2'), say('3')], turn)).toBe(text);
  });

  test.for<{ name: string; turn: Turn; text: string }>([
    { name: 'the last user text', turn: ask(user('weather in Rome')), text: 'call' },
    {
      name: 'the results since then',
      turn: ask(user('weather?'), assistant(''), tool('sun')),
      text: 'sunny',
    },
    {
      name: 'only what came after it',
      turn: ask(user('a'), assistant(''), tool('x'), user('weather')),
      text: 'call',
    },
    { name: 'nothing, so the order decides', turn: ask(user('hello')), text: 'hi' },
    {
      name: 'offered tools',
      turn: { ...ask(user('tools?')), tools: [{ name: 't', description: '', schema: {} }] },
      text: 'yes',
    },
    { name: 'answers so far', turn: ask(user('count'), assistant('')), text: 'one' },
  ])('by condition: $name', async ({ turn, text }) => {
    const script: Script = [
      { when: { text: 'weather', results: 0 }, moves: say('call') },
      { when: { text: 'weather', results: 1 }, moves: say('sunny') },
      { when: { tools: true }, moves: say('yes') },
      { when: { text: 'count', answers: 1 }, moves: say('one') },
      say('hi'),
    ];
    expect(await textOf(script, turn)).toBe(text);
  });

  test('a new gateway plays the same turn the same way, as after a restart', async () => {
    const script: Script = [say('1'), say('2')];
    const turn = ask(user('a'), assistant('1'), user('b'));
    expect(await chunksOf(script, turn)).toEqual(await chunksOf(script, turn));
    const gateway = scriptedGateway(script);
    const first = await Array.fromAsync(gateway.takeTurn(turn, silent));
    expect(await Array.fromAsync(gateway.takeTurn(turn, silent))).toEqual(first);
  });

  test('a function of the turn is a script too', async () => {
    expect(await textOf((turn) => say(turn.messages[0]?.text.toUpperCase() ?? ''), ask(user('loud')))).toBe(
      'LOUD',
    );
  });

  test('a turn the script does not have is a failure that says which', async () => {
    await expect(chunksOf([say('1')], ask(user('a'), assistant('1'), user('b')))).rejects.toMatchObject({
      failure: { code: 'unknown', message: expect.stringContaining('turn 2') },
    });
  });
});

describe('a script that is wrong', () => {
  test.for<{ name: string; script: unknown; message: string }>([
    {
      name: 'a wrong type',
      script: [[{ type: 'wait', ms: '5' }]],
      message: '[0].moves[0].ms: must be a number',
    },
    {
      name: 'a missing field',
      script: [[], [{ type: 'say' }]],
      message: '[1].moves[0].text: expected a text',
    },
    {
      name: 'a misspelt move',
      script: [[{ type: 'wiat' }]],
      message: '[0].moves[0].type: must be «text.appended», ',
    },
    {
      name: 'a misspelt field',
      script: [[{ type: 'hang', for: 5 }]],
      message: '[0].moves[0]: «for» is not known here; remove or rename it',
    },
    {
      name: 'an unknown code',
      script: [[{ type: 'fail', code: 'oops', message: 'x' }]],
      message: '[0].moves[0].code',
    },
    {
      name: 'a wrong condition',
      script: [{ when: { result: 1 }, moves: [] }],
      message: '[0].when: «result» is not known here; remove or rename it',
    },
    { name: 'no list', script: { turns: [] }, message: 'its top: must be a list, not an object' },
  ])('$name is named, with the fix', ({ script, message }) => {
    expect(() => scriptedGateway(script as Script)).toThrowError(
      expect.objectContaining({ failure: { code: 'malformed', message: expect.stringContaining(message) } }),
    );
  });

  test('what a function returns is checked when it is played', async () => {
    const script = (() => [{ type: 'wait' }]) as unknown as Script;
    await expect(chunksOf(script, ask(user('')))).rejects.toMatchObject({ failure: { code: 'malformed' } });
  });
});

describe('leaving', () => {
  test('abort ends a turn that hangs, with the reason of the signal', async () => {
    const controller = new AbortController();
    const turn = chunksOf([[{ type: 'hang' }]], ask(user('')), controller.signal);
    controller.abort(new Error('stopped'));
    await expect(turn).rejects.toThrow('stopped');
  });

  test('return ends a turn that hangs, and the step that waits is told it is over', async () => {
    const iterator = scriptedGateway([[{ type: 'hang' }]])
      .takeTurn(ask(user('')), silent)
      [Symbol.asyncIterator]();
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test('a sleep that ignores the signal cannot hold a turn', async () => {
    const controller = new AbortController();
    const gateway = scriptedGateway([[{ type: 'wait', ms: 1 }]], {
      sleep: () => new Promise(() => undefined),
    });
    const turn = Array.fromAsync(gateway.takeTurn(ask(user('')), controller.signal));
    controller.abort(new Error('stopped'));
    await expect(turn).rejects.toThrow('stopped');
  });
});
