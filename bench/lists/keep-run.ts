import { indexedAll } from '../../src/run/facts.ts';
import { foldAll, encodeAll } from '../../src/run/entries.ts';
import type { Store } from '../../src/stores/store.ts';
import type { journal } from '../../test/journal.ts';

/** Puts a run into a store as if it had been worked on there. */
export async function keepRun(
  { dispatch, journal: entries }: Store,
  run: string,
  ...[all, isFinished]: readonly [ReturnType<typeof journal>, boolean]
): Promise<void> {
  const [first] = all;
  if (first?.event.type !== 'run.started') throw new Error('a run begins with its beginning');
  const { tenant, conversation, input } = first.event;
  const title = typeof input.text === 'string' ? input.text : '';
  const named = { run, tenant, conversation, app: 'echo', title, flow: 'echo@1' };
  const rest = all.slice(1);
  const claim = { worker: 'bench', lease: 60_000 };
  await dispatch.create({
    ...named,
    last: 1,
    frames: encodeAll([first]),
    indexed: indexedAll([first]),
    claim,
  });
  await entries.append({
    fence: { run, epoch: 1 },
    head: 1,
    last: all.length,
    frames: encodeAll(rest),
    indexed: indexedAll(rest, foldAll([first])),
    summary: isFinished ? { status: 'completed', approvals: 0 } : { status: 'waiting', approvals: 1 },
    ends: isFinished,
  });
}
