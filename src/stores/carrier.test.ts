import { afterEach, describe, expect, test, vi } from 'vitest';
import { RunError } from '../run/failure.ts';
import type { Operation, Reply } from './batch.ts';
import { appending, frames, range, refused } from './store.contract.ts';
import type { Append, Appender, Fence, Haste } from './store.ts';
import { groupCommit } from './carrier.ts';

const fence: Fence = { run: 'r', epoch: 1 };

/** Commits when told to, and keeps what it was given. */
function slowDisk() {
  const batches: (readonly Operation[])[] = [];
  const answers: ((reply: Partial<Reply> | Error) => void)[] = [];
  const group = groupCommit((operations, { done, failed }) => {
    batches.push(operations);
    answers.push((reply) =>
      reply instanceof Error ? failed(reply) : done({ results: [], refusals: [], hints: [], ...reply }),
    );
  });
  const commits = async (reply: Partial<Reply> | Error = {}): Promise<void> => {
    while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    answers.shift()?.(reply);
  };
  return { group, batches, commits };
}

test('what comes while a batch is being committed is the next batch', async () => {
  const { group, batches, commits } = slowDisk();
  const first = group.add('handBack', { run: 'a', epoch: 1 });
  await commits();
  const later = ['b', 'c', 'd'].map((run) => group.add('handBack', { run, epoch: 1 }));
  await commits();
  await Promise.all([first, ...later, group.drained()]);
  expect(batches.map((batch) => batch.length)).toEqual([1, 3]);
});

test('appends of a run that follow each other are one chunk', async () => {
  const { group, batches, commits } = slowDisk();
  const uses = [{ command: 'c', seq: 3 }];
  const asked = [
    group.add('append', appending(fence, 1)),
    group.add('append', appending({ run: 'other', epoch: 1 }, 7)),
    group.add('append', appending(fence, 2, { uses, summary: { status: 'paused', approvals: 2 } })),
  ];
  await commits();
  await Promise.all(asked);
  expect(batches[0]).toHaveLength(2);
  expect(batches[0]?.[0]).toMatchObject({
    name: 'append',
    argument: { head: 1, last: 3, frames: frames(2, 3), uses, summary: { status: 'paused', approvals: 2 } },
  });
});

test.for([
  { name: 'another epoch', next: appending({ run: 'r', epoch: 2 }, 2) },
  { name: 'another head', next: appending(fence, 3) },
  { name: 'too much for one chunk', next: appending(fence, 2, { frames: frames(3, 3, 'x'.repeat(70_000)) }) },
])('an append with $name is not joined', async ({ next }) => {
  const { group, batches, commits } = slowDisk();
  const asked = [group.add('append', appending(fence, 1)), group.add('append', next)];
  await commits();
  await Promise.all(asked);
  expect(batches[0]).toHaveLength(2);
});

test('nothing is joined across another operation of the run, nor after its end', async () => {
  const { group, batches, commits } = slowDisk();
  const asked = [
    group.add('append', appending(fence, 1)),
    group.add('release', { fence, head: 2 }),
    group.add('append', appending(fence, 2, { ends: true })),
    group.add('append', appending(fence, 3)),
  ];
  await commits();
  await Promise.all(asked);
  expect(batches[0]?.map(({ name }) => name)).toEqual(['append', 'release', 'append', 'append']);
});

test('a refusal reaches all whose appends were joined, and nobody else', async () => {
  const { group, commits } = slowDisk();
  const asked = [
    group.add('append', appending(fence, 1)),
    group.add('append', appending(fence, 2)),
    group.add('hold', { fence: { run: 'other', epoch: 1 }, name: 'n' }),
  ];
  const settled = Promise.allSettled(asked);
  await commits({
    results: [undefined, true],
    refusals: [{ index: 0, failure: { code: 'rejected', message: 'no' } }],
  });
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(await asked[2]).toBe(true);
});

test('a batch that fails fails everyone in it, and the next one is tried', async () => {
  const { group, commits } = slowDisk();
  const lost = range(1, 3).map((i) => group.add('handBack', { run: `r${i}`, epoch: 1 }));
  const settled = Promise.all(lost.map((one) => refused(one, 'unavailable', /full/)));
  await commits(new RunError('unavailable', 'The disk is full.'));
  await settled;
  const next = group.add('handBack', { run: 'r', epoch: 1 });
  await commits();
  await next;
});

/** Somebody who always has one more entry when asked. */
function writer(run: string, durable: () => void = () => {}): Appender & { readonly asked: Append[] } {
  const asked: Append[] = [];
  const next = (): Append => {
    const append = appending({ run, epoch: 1 }, asked.length + 1);
    asked.push(append);
    return append;
  };
  return { run, asked, next, durable, failed: () => {} };
}

test('[J38] other operations of a run are committed after what it has offered, in the order of asking', async () => {
  const { group, batches, commits } = slowDisk();
  const appender = writer('r');
  group.offer(appender, 'none');
  const released = group.add('release', { fence, head: 2 });
  expect(appender.asked).toHaveLength(1);
  group.offer(appender, 'none');
  await commits();
  await released;
  expect(batches[0]?.map(({ name }) => name)).toEqual(['append', 'release', 'append']);
});

test('[J38] one who breaks when told that it is durable keeps nobody from hearing it', async () => {
  const broken = Promise.withResolvers<unknown>();
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.once('uncaughtException', broken.resolve);
  const { group, commits } = slowDisk();
  let told = 0;
  group.offer(
    writer('a', () => {
      throw new Error('a bug');
    }),
    'great',
  );
  group.offer(
    writer('b', () => (told += 1)),
    'great',
  );
  await commits();
  await group.drained();
  expect(told).toBe(1);
  expect(String(await broken.promise)).toContain('a bug');
  for (const listener of others) process.on('uncaughtException', listener);
});

describe('[Q70] when a round begins', () => {
  afterEach(() => vi.useRealTimers());

  /** How many rounds have begun, as time passes. */
  function paced(takes = 0) {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'],
    });
    let begun = 0;
    const group = groupCommit((operations, { done }) => {
      begun += 1;
      const reply = { results: operations.map(() => undefined), refusals: [], hints: [] };
      if (takes === 0) queueMicrotask(() => done(reply));
      else setTimeout(() => done(reply), takes);
    });
    const after = async (milliseconds: number): Promise<number> => {
      await vi.advanceTimersByTimeAsync(milliseconds);
      return begun;
    };
    return { group, after };
  }

  test('after a quiet moment at once, and then at most every two milliseconds', async () => {
    const { group, after } = paced();
    await after(10);
    group.offer(writer('a'), 'none');
    expect(await after(0)).toBe(1);
    group.offer(writer('b'), 'none');
    group.offer(writer('c'), 'none');
    expect(await after(1)).toBe(1);
    expect(await after(2)).toBe(2);
    expect(await after(20)).toBe(2);
  });

  test.for([
    { takes: 1, pause: 8 },
    { takes: 5, pause: 8 },
  ])('after eight times what a commit takes, and never more than eight', async ({ takes, pause }) => {
    const { group, after } = paced(takes);
    group.offer(writer('a'), 'none');
    expect(await after(0)).toBe(1);
    await after(takes);
    group.offer(writer('b'), 'none');
    expect(await after(pause - takes - 1)).toBe(1);
    expect(await after(2)).toBe(2);
  });

  test('in the next turn of the loop where somebody waits', async () => {
    const { group, after } = paced();
    group.offer(writer('a'), 'none');
    expect(await after(0)).toBe(1);
    group.offer(writer('b'), 'none');
    expect(await after(0)).toBe(1);
    group.offer(writer('b'), 'great');
    expect(await after(0)).toBe(2);
    group.offer(writer('a'), 'none');
    const asked = group.add('handBack', fence);
    expect(await after(0)).toBe(3);
    await asked;
  });

  test('also where somebody asks while a round is put together', async () => {
    const { group, after } = paced();
    const one = writer('a');
    const asking = { ...one, next: () => (void group.add('handBack', fence), one.next()) };
    group.offer(asking, 'none');
    expect(await after(0)).toBe(1);
    await after(20);
    group.offer(writer('b'), 'none');
    expect(await after(20)).toBe(2);
  });

  describe('[Q135] where eight runs were in the last one', () => {
    async function crowded() {
      const { group, after } = paced();
      const offer = (runs: string, haste: Haste): void =>
        runs.split('').forEach((run) => group.offer(writer(run), haste));
      offer('abcdefgh', 'great');
      expect(await after(0)).toBe(1);
      return { group, after, offer };
    }

    test.for(['none', 'some'] as const)('texts and turns wait sixteen milliseconds: %s', async (haste) => {
      const { after, offer } = await crowded();
      offer('abcdefgh', haste);
      expect(await after(15)).toBe(1);
      expect(await after(2)).toBe(2);
    });

    test('what may be quick waits eight, and takes the others along', async () => {
      const { after, offer } = await crowded();
      offer('abcd', 'none');
      offer('e', 'some');
      expect(await after(4)).toBe(1);
      offer('fgh', 'great');
      expect(await after(2)).toBe(1);
      expect(await after(3)).toBe(2);
    });

    test('who asks waits for nothing, and sends nobody apart', async () => {
      const { group, after, offer } = await crowded();
      offer('a', 'none');
      const asked = group.add('handBack', fence);
      expect(await after(0)).toBe(2);
      await asked;
      offer('a', 'great');
      expect(await after(7)).toBe(2);
      expect(await after(2)).toBe(3);
    });

    test('where fewer are in the next one, nobody waits any more', async () => {
      const { after, offer } = await crowded();
      offer('abcdefg', 'great');
      expect(await after(9)).toBe(2);
      offer('a', 'great');
      expect(await after(0)).toBe(3);
    });
  });

  describe('[Q137] where thirty-two runs were in the last one', () => {
    const many = 'abcdefghijklmnopqrstuvwxyz0123456';

    /** What each round was of, with the time it began. */
    async function multitude() {
      vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'],
      });
      const rounds: string[] = [];
      const group = groupCommit((operations, { done }) => {
        rounds.push(operations.map(({ argument }) => Object(argument).fence?.run ?? 'asked').join(''));
        const reply = { results: operations.map(() => undefined), refusals: [], hints: [] };
        queueMicrotask(() => done(reply));
      });
      const offer = (runs: string, haste: Haste): void =>
        runs.split('').forEach((run) => group.offer(writer(run), haste));
      const after = async (milliseconds: number): Promise<readonly string[]> => {
        await vi.advanceTimersByTimeAsync(milliseconds);
        return rounds.splice(0);
      };
      offer(many, 'great');
      expect(await after(0)).toEqual([many]);
      return { group, after, offer };
    }

    test('text waits for more of the same, and no longer than that', async () => {
      const { after, offer } = await multitude();
      offer(many, 'none');
      expect(await after(23)).toEqual([]);
      expect(await after(17)).toEqual([many]);
    });

    test('what may be quick waits sixteen milliseconds, and takes no text along that was just said', async () => {
      const { after, offer } = await multitude();
      await after(5);
      offer('abc', 'none');
      offer('xyz', 'great');
      offer('w', 'some');
      expect(await after(10)).toEqual([]);
      expect(await after(2)).toEqual(['xyzw']);
      expect(await after(18)).toEqual(['abc']);
    });

    test('what a run is asked comes after what it has said, and at once', async () => {
      const { group, after, offer } = await multitude();
      offer('rs', 'none');
      const asked = group.add('handBack', { ...fence, run: 'r' });
      expect(await after(0)).toEqual(['rasked']);
      await asked;
      expect(await after(40)).toEqual(['s']);
    });

    test('nothing that was said is left behind where all is to be written', async () => {
      const { group, after, offer } = await multitude();
      offer(many, 'none');
      const drained = group.drained();
      expect(await after(0)).toEqual([many]);
      await drained;
    });
  });
});
