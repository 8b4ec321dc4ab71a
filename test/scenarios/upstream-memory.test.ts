import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { dial } from '../dial-frames.ts';
import type { Job, Report } from '../memory/child.ts';
import { openPeer, peers } from '../peers.ts';
import { type Act, openUpstream, sse } from '../upstream.ts';

const mebibyte = 1024 * 1024;
const child = fileURLToPath(new URL('../memory/child.ts', import.meta.url));

async function measure(job: Job): Promise<Report> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', child, JSON.stringify(job)]);
  return JSON.parse(stdout) as Report;
}

const answer: Act[] = [sse, { send: dial.text('ok') + dial.stop + dial.done }, 'end'];
/** 100 MB without a line end, and then an end. */
const line: Act[] = [
  sse,
  { send: 'data: ' },
  ...Array.from({ length: 100 }, () => ({ send: 'x'.repeat(mebibyte) })),
  { send: '\n\n' },
  'end',
];
/** A gigabyte, of which every thousand bytes are sent as one. */
const part = gzipSync(Buffer.alloc(64 * mebibyte));
const bomb: Act[] = [
  { head: 200, headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' } },
  ...Array.from({ length: 16 }, () => ({ send: part })),
  'end',
];
const call = { index: 0, id: 'a', function: { name: 't', arguments: 'x'.repeat(500_000) } };
const stages = (name: string): string =>
  Array.from({ length: 200 }, (_, i) =>
    dial.stage({ index: i, name }, { index: i, status: 'completed' }),
  ).join('');

interface Case {
  readonly name: string;
  readonly acts: () => readonly Act[];
  readonly failure: RegExp;
  /** Mebibytes by which the process may grow. */
  readonly most: number;
  readonly tokens?: number;
  readonly times?: number;
  readonly timeouts?: Job['timeouts'];
}

const invalid = Buffer.concat([Buffer.from('data: '), Buffer.alloc(4_000, 0xff), Buffer.from('\n\n')]);
const half = dial.text('half an answer '.repeat(1_000));

// Long answers are read slowly on purpose, so that most of the time these processes wait.
describe.concurrent.for(peers)('the memory of a process that asks a %s peer', (kind) => {
  test.for<Case>([
    {
      name: '[R26] a line of 100 MB',
      acts: () => line,
      // An event of an agent that is too long is left out; then the whole answer is too long.
      failure:
        kind === 'openai-chat' ? /^failed too-large: .*1048576 bytes/ : /^failed too-large: .*67108864 bytes/,
      most: kind === 'openai-chat' ? 32 : 64,
    },
    {
      name: '[R25] a bomb of a gigabyte',
      acts: () => bomb,
      failure: /^failed unavailable: .*gzip/,
      most: 64,
    },
    {
      name: '[R26] an answer in one piece of 100 MB',
      acts: () => [{ head: 200, headers: { 'content-type': 'application/json' } }, ...line.slice(1)],
      failure:
        kind === 'openai-chat'
          ? /^failed unavailable: .*instead of an event stream/
          : /^failed too-large: .*8388608 bytes/,
      most: kind === 'openai-chat' ? 32 : 64,
    },
    {
      name: '[R22] invalid UTF-8 without end',
      acts: () => [sse, { endless: invalid }],
      failure: /^failed unavailable: .* more than 1000 pieces that cannot be read/,
      most: 48,
    },
    {
      name: '[R23] silence before the headers, twenty times',
      acts: () => ['hang'],
      failure: /^failed timed-out: .*timeouts\.firstByte/,
      most: 32,
      times: 20,
      timeouts: { firstByte: 50 },
    },
    {
      name: '[R23] silence after the headers, twenty times',
      acts: () => [sse, 'hang'],
      failure: /^failed timed-out: .*timeouts\.firstByte/,
      most: 32,
      times: 20,
      timeouts: { firstByte: 50 },
    },
    {
      name: '[R23] silence in the body, twenty times',
      acts: () => [sse, { send: half }, 'hang'],
      failure: /^failed timed-out: .*timeouts\.idle/,
      most: 48,
      times: 20,
      timeouts: { idle: 50 },
    },
    {
      name: '[R24] a hundred answers that are cut off',
      acts: () => [sse, { send: half }, 'reset'],
      failure: /^failed unavailable: /,
      most: 64,
      times: 100,
    },
    {
      name: '[R28] 10 MB of arguments',
      acts: () => [
        sse,
        ...Array.from({ length: 20 }, () => ({ send: dial.delta({ tool_calls: [call] }) })),
        'end',
      ],
      failure: /^failed too-large: The arguments for t/,
      most: 32,
    },
    {
      name: '[R27] text without end',
      acts: () => [sse, { endless: dial.text('and so on '.repeat(100)).repeat(20) }],
      failure: /^failed over-budget: .*1000000 tokens/,
      most: 96,
    },
    {
      name: '[R27] small pieces of text without end',
      acts: () => [sse, { endless: 'data: {"choices":[{"delta":{"content":"xy"}}]}\n\n'.repeat(500) }],
      failure: /^failed over-budget: .*30000 tokens/,
      // Each piece is an entry, and this run is kept in memory.
      most: 128,
      tokens: 30_000,
    },
    {
      name: '[R27] frames without end that cannot be read',
      acts: () => [sse, { endless: 'data: {"choices":7}\n\n'.repeat(500) }],
      failure: /^failed unavailable: .* more than 1000 pieces that cannot be read/,
      most: 32,
    },
    {
      name: '[R19 R27] stages without end',
      // Whoever has no stages counts their bytes: in long ones they are sooner enough.
      acts: () => [sse, { endless: stages(kind === 'dial' ? 'x' : 'x'.repeat(2_000)) }],
      failure: kind === 'dial' ? /^failed too-large: .*10000 stages/ : /^failed too-large: .*67108864 bytes/,
      // Whoever has no stages reads 64 MiB in which nothing is said; more would not cost more.
      most: kind === 'dial' ? 96 : 320,
    },
  ])('stays within $most MiB: $name', async (wanted, { expect, onTestFinished }) => {
    const { acts, failure, most, tokens, times, timeouts } = wanted;
    const [good, bad] = [await openPeer(kind), await openPeer(kind)];
    onTestFinished(() => Promise.all([good.close(), bad.close()]).then(() => undefined));
    good.answer(answer);
    bad.answer(acts());
    const report = await measure({ kind, good: good.url, bad: bad.url, tokens, times, timeouts });
    expect(report.failure).toMatch(failure);
    expect(report.peak / mebibyte).toBeLessThan(most);
  });
});

test('the measuring sees a client that reads everything', async () => {
  const good = await openUpstream();
  const bad = await openUpstream();
  good.answer(answer);
  bad.answer(line);
  const report = await measure({ kind: 'control', good: good.url, bad: bad.url });
  await Promise.all([good.close(), bad.close()]);
  expect(report.failure).toBe(`${100 * mebibyte + 8} characters`);
  expect(report.peak / mebibyte).toBeGreaterThan(100);
});
