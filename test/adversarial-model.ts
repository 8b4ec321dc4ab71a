import fc, { type Arbitrary } from 'fast-check';
import type { AgentEvent, Gateway, Turn } from '../src/gateways/gateway.ts';
import { RunError } from '../src/run/failure.ts';
import { anyText } from './arbitraries.ts';

/** One thing a hostile model does in a turn. */
export type Trick =
  | { readonly type: 'talk'; readonly text: string; readonly channel: 'content' | 'reasoning' }
  | { readonly type: 'call'; readonly tool: string; readonly text: string; readonly id: string }
  /** Many calls in one piece. */
  | { readonly type: 'flood'; readonly size: number; readonly isSame: boolean }
  /** Pieces of several calls, mixed. */
  | { readonly type: 'interleave'; readonly first: string; readonly second: string }
  | { readonly type: 'endless'; readonly what: 'text' | 'arguments' | 'nothing' | 'calls' }
  | { readonly type: 'finish'; readonly reason: 'stop' | 'length' | 'calls' | 'filter' | 'other' }
  | { readonly type: 'fail'; readonly how: 'failure' | 'bug' };

export type Trickery = readonly (readonly Trick[])[];

export const toolNames = ['look', 'write', 'charge', 'poll', 'broken', 'gone'] as const;

/** Too long to be shown when a property fails, so they go by name until they are played. */
const monsters: Readonly<Record<string, string>> = {
  '<deep and broken>': '['.repeat(5_000),
  '<deep>': `{"n":${'['.repeat(500)}${']'.repeat(500)}}`,
  '<huge>': `{"n":1,"pad":"${'x'.repeat(270_000)}"}`,
};

/** The longest piece of a stream, in tokens. */
export const longestPiece = 270_050 / 4;

const argumentsText: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 3 }).map((n) => JSON.stringify({ n })) },
  { weight: 2, arbitrary: fc.constantFrom('{"n": 1}', '{ "n":1.0}', '{"n":1 }', '') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '{',
      '}',
      '{"n":',
      'null',
      '[]',
      '"text"',
      '{"n":"one"}',
      '{"m":1}',
      '{}{}',
      '\ud800',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(monsters)) },
  { weight: 1, arbitrary: fc.constant('{"__proto__":{"n":1},"n":2}') },
  { weight: 1, arbitrary: anyText },
);

const call: Arbitrary<Trick> = fc.record({
  type: fc.constant('call' as const),
  tool: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...toolNames) },
    { weight: 1, arbitrary: fc.constantFrom('', 'unheard_of', '__proto__', 'constructor') },
  ),
  text: argumentsText,
  id: fc.constantFrom('c1', 'c2', 'c3', 'call 1', ''),
});

const trick: Arbitrary<Trick> = fc.oneof(
  { weight: 6, arbitrary: call },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('talk' as const),
      text: anyText,
      channel: fc.constantFrom('content', 'reasoning'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('flood' as const),
      size: fc.constantFrom(9, 60),
      isSame: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('interleave' as const),
      first: argumentsText,
      second: argumentsText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('endless' as const),
      what: fc.constantFrom('text', 'arguments', 'nothing', 'calls'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('finish' as const),
      reason: fc.constantFrom('stop', 'length', 'calls', 'filter', 'other'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('fail' as const), how: fc.constantFrom('failure', 'bug') }),
  },
);

/** What a hostile model does, turn by turn; the last is repeated for ever. */
export const trickery: Arbitrary<Trickery> = fc.array(fc.array(trick, { maxLength: 5 }), {
  minLength: 1,
  maxLength: 8,
});

export class ThrownOnPurpose extends Error {}

/** Plays it, and tells which tricks came to be played, and where. */
export function hostile(tricks: Trickery, played: (trick: Trick, turn: Turn) => void): Gateway {
  let turns = 0;
  return {
    async *takeTurn(turn) {
      const now = tricks[Math.min(turns, tricks.length - 1)] ?? [];
      turns += 1;
      for (const each of now) {
        played(each, turn);
        yield* play(each);
      }
    },
  };
}

function* play(trick: Trick): Iterable<readonly AgentEvent[]> {
  switch (trick.type) {
    case 'talk':
      return yield [{ type: 'text.appended', text: trick.text, channel: trick.channel }];
    case 'call':
      return yield [
        { type: 'call.appended', call: trick.id, tool: trick.tool, text: monsters[trick.text] ?? trick.text },
      ];
    case 'flood':
      return yield Array.from({ length: trick.size }, (_, i) => flooding(i, trick.isSame));
    case 'interleave':
      for (let i = 0; i < 40; i += 1) {
        yield [{ type: 'call.appended', call: 'left', tool: 'look', text: trick.first[i] ?? '' }];
        yield [{ type: 'call.appended', call: 'right', tool: 'write', text: trick.second[i] ?? '' }];
      }
      return undefined;
    case 'endless':
      return yield* forEver(trick.what);
    case 'finish':
      return yield [{ type: 'turn.finished', reason: trick.reason }];
    case 'fail':
      throw trick.how === 'bug'
        ? new ThrownOnPurpose('A gateway with a bug.')
        : new RunError('unavailable', 'The model is down.');
  }
}

function flooding(i: number, isSame: boolean): AgentEvent {
  return {
    type: 'call.appended',
    call: `f${i}`,
    tool: 'charge',
    text: JSON.stringify({ n: isSame ? 0 : i }),
  };
}

function* forEver(what: Extract<Trick, { type: 'endless' }>['what']): Iterable<readonly AgentEvent[]> {
  for (let i = 0; ; i += 1) {
    if (what === 'nothing') yield [];
    else if (what === 'text') yield [{ type: 'text.appended', text: 'and so on and so forth ' }];
    else if (what === 'calls')
      yield [{ type: 'call.appended', call: `e${i}`, tool: 'look', text: `{"n":${i}}` }];
    else yield [{ type: 'call.appended', call: 'e', tool: 'look', text: '{"n":[' }];
  }
}
