import { get } from 'node:http';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { says } from '../../../test/large/says.ts';
import { serving, shareServing, textAt, type Serving } from '../../../test/serving.ts';
import { inTurn } from '../../loop/machine.ts';
import { toldRun } from './told-run.ts';

let at: Serving;
let run: string;
let session: string;

/** A run of several pages. */
beforeAll(() =>
  shareServing(async () => {
    at = await serving({ config: { apps: { says: says() } } });
    const begun = await at.ask('/api/sessions', { json: { scenario: 'says', alert_text: '4' } });
    session = textAt(begun, 'session_id');
    run = textAt(await at.ask('/api/runs'), 'runs', 0, 'run');
    await at.ask(`/api/runs/${run}/events`);
  }),
);

/** Does something whenever a page was read; tells how many were. */
function watchReads(then: () => void): { readonly count: () => number } {
  const { journal } = at.server.context.home;
  const read = journal.read.bind(journal);
  const spy = vi.spyOn(journal, 'read').mockImplementation(async (...asked) => {
    const page = await read(...asked);
    then();
    return page;
  });
  onTestFinished(() => spy.mockRestore());
  return { count: () => spy.mock.calls.length };
}

test('[V137] what is told to somebody ends when they leave', async () => {
  const row = await at.server.context.home.dispatch.get(run);
  if (!row) throw new Error('the run is gone');
  const left = new AbortController();
  const reads = watchReads(() => left.abort(new Error('left')));
  const told = toldRun(at.server.context, row, { as: 'execution', signal: left.signal });
  await expect(Array.fromAsync(told)).rejects.toThrow('left');
  expect(reads.count()).toBe(1);
});

test.for([
  { name: 'a session', path: () => `/api/sessions/${session}` },
  { name: 'its steps', path: () => `/workflows/execution/${run}/steps` },
])('[V137] $name is read no further for whoever leaves before it is answered', async ({ path }) => {
  const { heavy } = at.server.context;
  const enter = vi.spyOn(heavy, 'enter');
  onTestFinished(() => enter.mockRestore());
  const asking = get(`${at.url}${path()}`).on('error', () => {});
  const reads = watchReads(() => asking.destroy());
  await vi.waitFor(() => expect(enter).toHaveBeenCalled(), 10_000);
  const [, , signal] = enter.mock.lastCall ?? [];
  await vi.waitFor(() => expect(signal?.aborted).toBe(true), 10_000);
  const before = reads.count();
  // What is larger than all there is room for is let in: the place was given back.
  const other = new AbortController();
  await heavy.enter('another', 1_000 << 20, other.signal);
  other.abort();
  // Whatever still worked on it would have had its turn as often.
  for (let i = 0; i < 40; i += 1) await inTurn();
  expect(reads.count()).toBeLessThanOrEqual(before + 1);
  expect(at.problems).toEqual([]);
});
