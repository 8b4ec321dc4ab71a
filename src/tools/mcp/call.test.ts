import { describe, expect, test } from 'vitest';
import { find, opened, person, recording, watched } from '../../../test/mcp/servers.ts';
import { RunError } from '../../run/failure.ts';
import type { ToolContext } from '../tool.ts';

const open = opened();
const enough = new RunError('rejected', 'A person stopped it.');

describe.each([
  { era: 'the protocol of 2026', modes: [] },
  { era: 'the protocol before 2026', modes: ['old'] },
])('with $era', ({ modes }) => {
  const record = recording(...modes);
  const server = open({ name: 'rec', command: record.command });
  const lines = (): string[] => record.lines();

  test('[M5] a cancelled call ends at once, and the server is told', async () => {
    const stop = new AbortController();
    const running = (await find(server, 'wait')).run({}, watched({ signal: stop.signal }));
    await expect.poll(lines).toContain('wait began');
    stop.abort(enough);
    await expect(running).rejects.toBe(enough);
    await expect.poll(lines).toContain('wait cancelled');
  });

  test('[M5] a call that is cancelled before it begins never reaches the server', async () => {
    const tool = await find(server, 'write');
    const before = lines();
    await expect(tool.run({}, watched({ signal: AbortSignal.abort(enough) }))).rejects.toBe(enough);
    await (await find(server, 'pid')).run({}, watched());
    expect(lines()).toEqual(before);
  });

  test('[M5] progress and log lines are shown, also those that arrive together with the result', async () => {
    const context = watched();
    expect(await (await find(server, 'chatty')).run({}, context)).toBe('done');
    expect(context.said).toEqual(['a line of the log\n', 'half (1/2)\n']);
  });

  test('[M5] the server gets the key that makes a repeated call recognisable', async () => {
    await (await find(server, 'write')).run({}, watched({ idempotencyKey: 'k-1' }));
    expect(lines()).toContain('wrote k-1');
  });

  test('[M6] a person answers, declines, or is no longer waited for', async () => {
    const tool = await find(server, 'ask');
    expect(await tool.run({}, watched(person({ name: 'Ada' })))).toBe('hello Ada');
    expect(await tool.run({}, watched({ ask: () => Promise.resolve({ decision: 'decline' }) }))).toBe(
      'nobody',
    );
    const stop = new AbortController();
    const ask: ToolContext['ask'] = () => {
      stop.abort(enough);
      return new Promise(() => undefined);
    };
    await expect(tool.run({}, watched({ ask, signal: stop.signal }))).rejects.toBe(enough);
  });

  test('[M6] an answer that is no form is not sent', async () => {
    const context = watched(person({ name: { first: 'Ada' } }));
    expect(await (await find(server, 'ask')).run({}, context)).toBe('nobody');
    expect(context.said).toEqual([expect.stringMatching(/not a form/)]);
  });

  test.for([
    { name: 'wait', retryable: true },
    { name: 'wait_once', retryable: false },
  ])(
    '[M10] [E260] $name fails when the server is killed, and the next call finds a new one',
    async ({ name, retryable }) => {
      const pid = await find(server, 'pid');
      const first = Number(await pid.run({}, watched()));
      const count = lines().length;
      const running = (await find(server, name)).run({}, watched());
      await expect.poll(() => lines().slice(count)).toContain(`${name} began`);
      process.kill(first, 'SIGKILL');
      await expect(running).rejects.toMatchObject({
        isLost: true,
        failure: { code: 'unavailable', retryable },
      });
      const second = Number(await pid.run({}, watched()));
      expect(second).not.toBe(first);
      expect(lines().slice(count)).toEqual([`${name} began`, `started ${second}`]);
    },
  );
});

test('[M5] a call that takes too long is cancelled', async () => {
  const record = recording();
  const server = open({ name: 'slow', command: record.command, timeout: 1_000 });
  const once = (await find(server, 'wait_once')).run({}, watched());
  await expect(once).rejects.toMatchObject({ failure: { code: 'timed-out', retryable: false } });
  const reading = (await find(server, 'wait')).run({}, watched());
  await expect(reading).rejects.toMatchObject({ failure: { code: 'timed-out', retryable: true } });
  await expect.poll(() => record.lines()).toContain('wait_once cancelled');
});

test('[M5] the time a person takes is not the time of the call', async () => {
  const server = open({ name: 'slow', command: recording().command, timeout: 2_000 });
  const ask: ToolContext['ask'] = async () => {
    const overdue = (await find(server, 'wait')).run({}, watched());
    await expect(overdue).rejects.toMatchObject({ failure: { code: 'timed-out' } });
    return { decision: 'accept', answer: { name: 'Ada' } };
  };
  expect(await (await find(server, 'ask')).run({}, watched({ ask }))).toBe('hello Ada');
});

test('[M6] two runs that are asked at the same time are each asked their own', async () => {
  const server = open({ name: 'both', command: recording().command });
  const tool = await find(server, 'ask');
  const answers = ['Ada', 'Grace'].map((name) => tool.run({}, watched({ run: name, ...person({ name }) })));
  expect(await Promise.all(answers)).toEqual(['hello Ada', 'hello Grace']);
});

test('[M6] before 2026 a question that could be either run’s is put to neither', async () => {
  const record = recording('old');
  const server = open({ name: 'old', command: record.command });
  const stop = new AbortController();
  const other = watched({ run: 'other', signal: stop.signal, ...person({ name: 'Eve' }) });
  const waiting = (await find(server, 'wait')).run({}, other);
  await expect.poll(() => record.lines()).toContain('wait began');
  expect(await (await find(server, 'ask')).run({}, watched(person({ name: 'Ada' })))).toBe('nobody');
  expect(other.said).toEqual([expect.stringMatching(/calls of several runs were open/)]);
  stop.abort(enough);
  await expect(waiting).rejects.toBe(enough);
});
