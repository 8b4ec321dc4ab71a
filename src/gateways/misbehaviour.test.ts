import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bugsIn, delegate } from '../../test/delegate.ts';
import { dial } from '../../test/dial-frames.ts';
import { agentAt, openPeer, type Peer, peers } from '../../test/peers.ts';
import { type Act, sse } from '../../test/upstream.ts';
import { entriesOf } from '../../test/world.ts';
import { textOf, type RunTree, type Step } from '../run/tree.ts';
import { decodeAll, encodeAll } from '../run/entries.ts';

const answer: Act[] = [sse, { send: dial.text('ok') + dial.stop + dial.done }, 'end'];

describe.for(peers)('a %s peer that misbehaves', (kind) => {
  /** A model only speaks; whoever else is asked may have acted by then. */
  const isModel = kind === 'openai-chat';
  let peer: Peer;
  beforeEach(async () => {
    peer = await openPeer(kind);
  });
  afterEach(() => peer.close());

  type Settings = Parameters<typeof agentAt>[2];
  const ask = async (settings: Settings = {}, limits = {}): Promise<{ tree: RunTree; turn: Step }> => {
    const { tree, world, run } = await delegate(agentAt(kind, peer.url, settings), 'hello', { limits });
    expect(bugsIn(world)).toEqual([]);
    expect(tree.open.size).toBe(0);
    // What was recorded can be written and read again: the journal holds nothing that is not JSON and UTF-8.
    const entries = await entriesOf(world.store, run);
    const frames = encodeAll(entries);
    expect(decodeAll(Buffer.from(frames).toString())).toEqual(entries);
    const turn = tree.steps.get(1);
    if (!turn) throw new Error('there is no turn');
    return { tree, turn };
  };
  const failing = async (...args: Parameters<typeof ask>): Promise<string> => {
    const { tree, turn } = await ask(...args);
    expect(tree.ended?.outcome).toBe('failed');
    expect(tree.ended?.failure).toEqual(turn.failure);
    return `${turn.failure?.code}: ${turn.failure?.message}`;
  };

  test.for<{ name: string; bytes: readonly (string | Uint8Array)[]; text: string }>([
    {
      name: 'invalid UTF-8',
      bytes: ['a', Uint8Array.of(0xff, 0xc3, 0x28, 0xe2, 0x82)],
      text: 'a\uFFFD\uFFFD(\uFFFD',
    },
    { name: 'an overlong form', bytes: [Uint8Array.of(0xc0, 0xaf)], text: '\uFFFD\uFFFD' },
    { name: 'a lone surrogate', bytes: ['\\ud83d!'], text: '\uFFFD!' },
    { name: 'NUL', bytes: ['a\\u0000b'], text: 'a\u0000b' },
  ])('[R22] with $name is read, and the journal stays JSON', async ({ bytes, text }) => {
    const pieces = ['data: {"choices":[{"delta":{"content":"', ...bytes, '"}}]}\n\n'];
    const frame = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
    peer.answer([sse, { send: frame }, { send: dial.stop + dial.done }, 'end']);
    const { tree, turn } = await ask();
    expect(textOf(turn)).toBe(text);
    expect(tree.ended?.outcome).toBe('completed');
  });

  test('[R21 R22] a mark at the start, line ends of any kind and lines of any kind are read', async () => {
    const odd = `\uFEFF${dial.text('a')}event: message\rdata: {"choices":[{"delta":{"content":"b"}}]}\r\n\r\nretry: 5\nx\n\n`;
    peer.answer([sse, { send: odd + dial.text('c') + dial.stop + dial.done }, 'end']);
    expect(textOf((await ask()).turn)).toBe('abc');
  });

  test('[R21] with frames that cannot be read is told in notices, and its text is kept', async () => {
    const bad = ['data: {', 'data: 7', 'data: {"choices":7}', 'data: []', 'data: null', 'data: "x"'].join(
      '\n\n',
    );
    peer.answer([sse, { send: `${bad}\n\n${dial.text('ok')}${dial.stop}${dial.done}` }, 'end']);
    const { tree, turn } = await ask();
    expect(textOf(turn)).toBe('ok');
    expect(tree.notices.map(({ code }) => code)).toEqual(
      Array.from({ length: 6 }, () => 'UPSTREAM_MALFORMED'),
    );
  });

  test.for<{ name: string; acts: Act[]; timeout: 'firstByte' | 'idle' }>([
    { name: 'before the headers', acts: ['hang'], timeout: 'firstByte' },
    { name: 'after the headers', acts: [sse, 'hang'], timeout: 'firstByte' },
    { name: 'in the body', acts: [sse, { send: dial.text('a') }, 'hang'], timeout: 'idle' },
    { name: 'in the middle of a line', acts: [sse, { send: 'data: {"cho' }, 'hang'], timeout: 'idle' },
  ])('[R23] that hangs $name is left by $timeout, and an agent may have acted', async ({ acts, timeout }) => {
    peer.answer(acts);
    const timeouts = { connect: 60_000, firstByte: 60_000, idle: 60_000, [timeout]: 300 };
    const words = await failing({ timeouts });
    expect(words).toMatch(/^timed-out: /);
    const doubt = isModel ? '' : ' It may have acted on the message all the same.';
    expect(words.endsWith(`300 ms (timeouts.${timeout}).${doubt}`)).toBe(true);
    expect(peer.messages).toBe(1);
  });

  test('[R24] that flaps is asked at most three times a turn, and only while it refuses', async () => {
    const busy: Act[] = [{ head: 429 }, { send: '{"error":{"message":"busy"}}' }, 'end'];
    const broken: Act[] = [{ head: 500 }, { send: 'broken' }, 'end'];
    const plans = [busy, busy, busy, busy, answer, broken, ['reset'], busy, broken, answer] as Act[][];
    peer.answer(...plans);
    const outcomes: string[] = [];
    for (let i = 0; i < (isModel ? 4 : 6); i += 1) {
      const before = peer.messages;
      const { tree } = await ask();
      outcomes.push(`${tree.ended?.outcome} ${peer.messages - before}`);
    }
    expect(outcomes).toEqual(
      isModel
        ? ['failed 3', 'completed 2', 'failed 3', 'completed 2']
        : ['failed 3', 'completed 2', 'failed 1', 'failed 1', 'failed 2', 'completed 1'],
    );
  });

  test.for(['gzip', 'br', 'deflate'])(
    '[R25] that answers in %s is refused before it is read',
    async (encoding) => {
      const headers = { 'content-type': 'text/event-stream', 'content-encoding': encoding };
      peer.answer([{ head: 200, headers }, { endless: 'bomb' }]);
      expect(await failing()).toContain(`answered in ${encoding} although no compression was asked for`);
    },
  );

  test('[R26 H4 A21] with a line without end is left after 1 MiB, or at the size of an answer', async () => {
    peer.answer([sse, { send: 'data: ' }, { endless: 'x'.repeat(65_536) }]);
    const words = await failing(isModel ? {} : { limits: { event: 100_000, answer: 1_000_000 } });
    const what = isModel ? 'sent an event longer than 1048576' : 'answered with more than 1000000';
    expect(words).toMatch(new RegExp(`^too-large: .* ${what} bytes\\.`));
  });

  test('[R26] with an answer in one piece without end is left at the size of an event', async () => {
    const json: Act = { head: 200, headers: { 'content-type': 'application/json' } };
    peer.answer([json, { send: '{"content":"' }, { endless: 'x'.repeat(65_536) }]);
    const words = await failing();
    if (isModel) expect(words).toMatch(/^unavailable: .* application\/json instead of an event stream/);
    else expect(words).toMatch(/^too-large: .* answered with more than 8388608 bytes\./);
    expect(words.length).toBeLessThan(3_000);
  });

  test.for<{ name: string; piece: string }>([
    { name: 'text', piece: dial.text('and so on ') },
    { name: 'reasoning', piece: dial.delta({ reasoning_content: 'hm ' }) },
    {
      name: 'arguments',
      piece: dial.delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 't', arguments: '[' } }] }),
    },
  ])('[R27] that sends $name for ever is cut at the budget', async ({ piece }) => {
    peer.answer([sse, { endless: piece.repeat(20) }]);
    const words = await failing({ limits: { answer: 256 * 1024 } }, { tokens: 2_000 });
    expect(words).toMatch(/^over-budget: .*2000 tokens|^too-large: .*262144 bytes/);
  });

  test('[R27] that sends nonsense for ever is given up, and told in few notices', async () => {
    peer.answer([sse, { endless: dial.delta({ content: 7 }).repeat(50) }]);
    expect(await failing()).toMatch(/^unavailable: .* more than 1000 pieces that cannot be read\./);
  });

  test('[R27] that sends heartbeats for ever is cut at the size of an answer', async () => {
    peer.answer([sse, { endless: dial.heartbeat.repeat(50) }]);
    expect(await failing({ limits: { answer: 64 * 1024 } })).toMatch(/^too-large: /);
  });

  test('[R28] with 10 MB of arguments is refused before they are used', async () => {
    const part = dial.delta({
      tool_calls: [{ index: 0, id: 'a', function: { name: 't', arguments: 'x'.repeat(200_000) } }],
    });
    peer.answer([sse, ...Array.from({ length: 50 }, () => ({ send: part })), 'end']);
    expect(await failing({}, { tokens: 10_000_000 })).toContain(
      'too-large: The arguments for t are longer than',
    );
  });
});
