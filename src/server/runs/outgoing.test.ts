import { expect, test, vi } from 'vitest';
import { Secrets } from '../../guards/secrets.ts';
import type { Chunk } from '../../stores/store.ts';
import { outgoingJournal } from '../viewers/source.ts';
import { encodeAll } from '../../run/entries.ts';

const secret = 'sk-0123456789';

/** A journal of one text in each chunk, which gives a chunk at a time. */
function journalOf(texts: readonly string[]): Parameters<typeof outgoingJournal>[0] {
  const chunks = texts.map((text, i): Chunk => {
    const event = { type: 'text.appended', step: 1, channel: 'content', text } as const;
    return { run: 'run', first: i + 1, last: i + 1, frames: encodeAll([{ seq: i + 1, at: 0, event }]) };
  });
  return { read: async (_, after) => chunks.slice(after, after + 1), follow: () => expect.unreachable() };
}

/** Reads from the first entry to the last; tells how many characters were looked at. */
async function lookedAt(secrets: Secrets, journal: ReturnType<typeof outgoingJournal>): Promise<number> {
  const find = vi.spyOn(secrets, 'find');
  for (let after = 0; ; after += 1) {
    if ((await journal.read('run', after)).length > 0) continue;
    const looked = find.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
    find.mockRestore();
    return looked;
  }
}

test('[H32] what was looked at once is looked at again only for what became known since', async () => {
  const secrets = new Secrets([secret]);
  const journal = outgoingJournal(journalOf(['one', 'two', 'three']), secrets);
  expect(await lookedAt(secrets, journal)).toBeGreaterThan(0);
  expect(await lookedAt(secrets, journal)).toBe(0);
  secrets.add('another secret');
  expect(await lookedAt(secrets, journal)).toBeGreaterThan(0);
  expect(await lookedAt(secrets, journal)).toBe(0);
});

test('[H32] what is read from its middle is looked at, and so is all from the first secret on', async () => {
  const secrets = new Secrets([secret]);
  const journal = outgoingJournal(journalOf(['one', `two ${secret}`, 'three']), secrets);
  await journal.read('run', 2);
  for (let i = 0; i < 2; i += 1) {
    const frames = (await journal.read('run', 1)).map((chunk) => chunk.frames).join('');
    expect(frames).toContain('two [redacted]');
    expect(await lookedAt(secrets, journal)).toBeGreaterThan(0);
  }
});

test('[H33] others are served while a megabyte is looked at', async () => {
  const text = 'All work and no play. '.repeat(1_000);
  const event = { type: 'text.appended', step: 1, channel: 'content', text } as const;
  const entries = Array.from({ length: 50 }, (_, i) => ({ seq: i + 1, at: 0, event }));
  const chunk = { run: 'run', first: 1, last: 50, frames: encodeAll(entries) };
  const reading = outgoingJournal(
    { read: async () => [chunk], follow: () => expect.unreachable() },
    new Secrets([secret]),
  );
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  await Promise.resolve();
  setImmediate(count);
  expect(await reading.read('run', 0)).toEqual([chunk]);
  isOver = true;
  expect(turns).toBeGreaterThan(1);
});
