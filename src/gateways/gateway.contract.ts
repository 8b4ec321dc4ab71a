import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RunError } from '../run/failure.ts';
import type { AgentEvent, Gateway, Turn } from './gateway.ts';

/** What a back end is made to do with one request, in no protocol's words. Each act is a chunk of its own. */
export type Act =
  | { readonly do: 'say' | 'think'; readonly text: string }
  | { readonly do: 'call'; readonly call: string; readonly tool: string; readonly pieces: readonly string[] }
  | { readonly do: 'use'; readonly input: number; readonly output: number }
  | { readonly do: 'finish'; readonly reason: 'stop' | 'calls' | 'length' }
  | { readonly do: 'hang' | 'break' };

/** `busy`: refused, but may be asked again. `refuse`: refused for good, in words that repeat the secret. */
export type Plan = readonly Act[] | 'busy' | 'refuse';

export interface Subject {
  readonly gateway: Gateway;
  /** What the gateway must never tell: the key it was given, if it was given one. */
  readonly secret: string;
  /** What the next requests meet, one plan each; the last one stays. */
  plan(...plans: Plan[]): void;
  /** Request number `i`, once it has reached the back end; `left` resolves when the gateway hangs up. */
  request(i: number): Promise<{ readonly key: string; readonly left: Promise<unknown> }>;
  readonly requests: number;
  /** False where the protocol has no word for an answer that a limit of length has ended. */
  readonly knowsLength?: boolean;
  close(): Promise<void>;
}

const say = (text: string): Act => ({ do: 'say', text });
const stop: Act = { do: 'finish', reason: 'stop' };
const hang: Act = { do: 'hang' };

/** The rules of `docs/spec/gateways.md`, for every gateway. */
export function gatewayContract(name: string, open: () => Promise<Subject>): void {
  describe(`a ${name} gateway`, () => {
    let subject: Subject;
    let controller: AbortController;

    beforeEach(async () => {
      controller = new AbortController();
      subject = await open();
    });
    afterEach(() => subject.close());

    const turn = (text = 'hello', idempotencyKey = 'run-1/3'): Turn => ({
      messages: [{ role: 'user', text }],
      idempotencyKey,
      conversation: 'c',
    });
    const begin = (given = turn()): AsyncIterator<readonly AgentEvent[]> =>
      subject.gateway.takeTurn(given, controller.signal)[Symbol.asyncIterator]();
    const chunks = (given = turn()): Promise<(readonly AgentEvent[])[]> =>
      Array.fromAsync(subject.gateway.takeTurn(given, controller.signal));
    const told = async (...plans: Plan[]): Promise<AgentEvent[]> => {
      subject.plan(...plans);
      return (await chunks()).flat();
    };
    const failing = async (...plans: Plan[]): Promise<{ events: AgentEvent[]; error: unknown }> => {
      subject.plan(...plans);
      const events: AgentEvent[] = [];
      try {
        for await (const chunk of subject.gateway.takeTurn(turn(), controller.signal)) events.push(...chunk);
      } catch (error) {
        return { events, error };
      }
      throw new Error('The turn was expected to fail.');
    };

    test('[G1] what was sent is told in that order, all of it and nothing else', async () => {
      const events = await told([{ do: 'think', text: 'hm' }, say('one '), say('two'), say(' three'), stop]);
      expect(events).toEqual([
        { type: 'text.appended', text: 'hm', channel: 'reasoning' },
        { type: 'text.appended', text: 'one ' },
        { type: 'text.appended', text: 'two' },
        { type: 'text.appended', text: ' three' },
        { type: 'turn.finished', reason: 'stop' },
      ]);
    });

    test('[G2] an array holds what one chunk brought, and is never empty', async () => {
      subject.plan([say('a'), say('b'), say('c'), stop]);
      const arrays = await chunks();
      expect(arrays.every((events) => events.length > 0)).toBe(true);
      const texts = arrays.map((events) => events.filter(({ type }) => type === 'text.appended').length);
      expect(texts.filter((count) => count > 0)).toEqual([1, 1, 1]);
    });

    test('[G3] the first piece of a call names its tool, and its pieces join to the arguments', async () => {
      const pieces = ['', '{"q"', ':', '"}"', '}'];
      const events = await told([
        { do: 'call', call: 'c1', tool: 'search', pieces },
        { do: 'call', call: 'c2', tool: 'read', pieces: ['{}'] },
        { do: 'finish', reason: 'calls' },
      ]);
      expect(callsOf(events)).toEqual([
        { call: 'c1', tool: 'search', text: '{"q":"}"}' },
        { call: 'c2', tool: 'read', text: '{}' },
      ]);
      expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'calls' });
    });

    test('[G4] usage is told once', async () => {
      const events = await told([
        say('a'),
        { do: 'finish', reason: 'length' },
        { do: 'use', input: 7, output: 2 },
      ]);
      const usages = events.filter(({ type }) => type === 'usage.reported');
      expect(usages).toMatchObject([{ usage: { input: 7, output: 2 } }]);
    });

    test('[G5] a turn is finished once, and only usage and state may follow', async () => {
      const reason = subject.knowsLength === false ? 'stop' : 'length';
      const events = await told([say('a'), { do: 'finish', reason }, { do: 'use', input: 7, output: 2 }]);
      const place = events.findIndex(({ type }) => type === 'turn.finished');
      expect(events[place]).toEqual({ type: 'turn.finished', reason });
      const after = events.slice(place + 1).map(({ type }) => type);
      expect(after.filter((type) => type !== 'usage.reported' && type !== 'state.reported')).toEqual([]);
    });

    test('[G6] a turn that breaks off fails after what it told, and is not finished', async () => {
      const { events, error } = await failing([say('half'), { do: 'break' }]);
      expect(error).toBeInstanceOf(RunError);
      expect(error).toMatchObject({ failure: { code: 'unavailable' } });
      expect(events).toEqual([{ type: 'text.appended', text: 'half' }]);
    });

    test('[G7] a refusal is a failure with a code and a sentence, and holds no secret', async () => {
      const { error } = await failing('refuse');
      expect(error).toBeInstanceOf(RunError);
      const { failure } = error as RunError;
      expect(failure.code).not.toBe('internal');
      expect(failure.message).toMatch(/^[A-Z].*[.!?]$/);
      expect(JSON.stringify([failure, String(error)])).not.toContain(subject.secret);
    });

    test('[G8] abort ends the turn at once with the reason of the signal, and hangs up', async () => {
      subject.plan([say('a'), hang]);
      const iterator = begin();
      expect((await iterator.next()).value).toEqual([{ type: 'text.appended', text: 'a' }]);
      const waiting = iterator.next();
      controller.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      await (
        await subject.request(0)
      ).left;
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    });

    test('[G8] abort between two steps is told at the next one, and hangs up before it', async () => {
      subject.plan([say('a'), hang]);
      const iterator = begin();
      await iterator.next();
      controller.abort(new Error('enough'));
      await (
        await subject.request(0)
      ).left;
      await expect(iterator.next()).rejects.toThrow('enough');
    });

    test('[G8] abort before anything has come hangs up as well', async () => {
      subject.plan([hang]);
      const waiting = begin().next();
      const request = await subject.request(0);
      controller.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      await request.left;
    });

    test('[G9] return ends the turn at once, also while it waits, and hangs up', async () => {
      subject.plan([say('a'), hang]);
      const iterator = begin();
      await iterator.next();
      const waiting = iterator.next();
      await iterator.return?.();
      expect(await waiting).toEqual({ done: true, value: undefined });
      await (
        await subject.request(0)
      ).left;
      expect(await iterator.next()).toEqual({ done: true, value: undefined });
    });

    test('[G10] a turn that is aborted already asks nobody', async () => {
      subject.plan([say('a'), stop]);
      controller.abort(new Error('too late'));
      await expect(begin().next()).rejects.toThrow('too late');
      expect(subject.requests).toBe(0);
    });

    test('[G11] whoever is asked again gets the same key, and the turn says so before anything else', async () => {
      const events = await told('busy', [say('a'), stop]);
      expect(events.map(({ type }) => type)).toEqual(['turn.retried', 'text.appended', 'turn.finished']);
      expect((await subject.request(0)).key).toBe('run-1/3');
      expect((await subject.request(1)).key).toBe('run-1/3');
    });

    test('[G12] nothing is asked again once the answer has begun', async () => {
      const { events } = await failing([say('half'), { do: 'break' }], [say('again'), stop]);
      expect(events.map(({ type }) => type)).toEqual(['text.appended']);
      expect(subject.requests).toBe(1);
    });

    test('[G13] two turns at once do not disturb each other', async () => {
      subject.plan([say('first'), stop], [say('second'), stop]);
      const both = await Promise.all([chunks(turn('a', 'k1')), chunks(turn('b', 'k2'))]);
      const texts = both.map((arrays) => textOf(arrays.flat()));
      expect(texts.toSorted()).toEqual(['first', 'second']);
    });

    test('[G14] a slow reader loses nothing', async () => {
      const words = Array.from({ length: 500 }, (_, i) => `${i} `);
      subject.plan([...words.map(say), stop]);
      const events: AgentEvent[] = [];
      for await (const chunk of subject.gateway.takeTurn(turn(), controller.signal)) {
        events.push(...chunk);
        await new Promise(setImmediate);
      }
      expect(textOf(events)).toBe(words.join(''));
      expect(events.at(-1)?.type).toBe('turn.finished');
    });
  });
}

function textOf(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === 'text.appended' ? event.text : '')).join('');
}

function callsOf(events: readonly AgentEvent[]): { call: string; tool: string | undefined; text: string }[] {
  const calls = new Map<string, { call: string; tool: string | undefined; text: string }>();
  for (const event of events) {
    if (event.type !== 'call.appended') continue;
    const known = calls.get(event.call);
    if (known === undefined) calls.set(event.call, { call: event.call, tool: event.tool, text: event.text });
    else known.text += event.text;
  }
  return [...calls.values()];
}
