// A busy folder: runs that grow, are parked, stopped, sent messages and erased. Says what was acknowledged, after it was.
import { sqliteStore } from '../../src/stores/sqlite.ts';

const [folder = '', rounds = '30'] = process.argv.slice(2);
const frame = (seq: number, run: string): string =>
  `id: ${seq}\ndata: {"t":0,"s":1,"x":"${run} ${'x'.repeat((seq * 137) % 2_500)}"}\n\n`;
const summary = { status: 'running', approvals: 0 } as const;
const store = await sqliteStore({ folder });
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function grow(run: string): Promise<void> {
  const names = { run, tenant: 't', conversation: 'c', app: 'a', title: run, flow: 'f' };
  const claim = { worker: 'w', lease: 60_000 };
  await store.dispatch.create({ ...names, last: 1, frames: frame(1, run), claim });
  say(`${run} 1`);
  for (let head = 1; head < Number(rounds); head += 1) {
    const append = { fence: { run, epoch: 1 }, head, last: head + 1, frames: frame(head + 1, run), summary };
    await store.journal.append(append);
    say(`${run} ${head + 1}`);
  }
}

for (const round of ['a', 'b', 'c', 'd']) {
  await Promise.all(Array.from({ length: 5 }, (_, i) => grow(`${round}${i}`)));
  const { blob } = await store.blobs.put({ tenant: 't', run: `${round}0` }, `${round} ${'y'.repeat(9_000)}`);
  say(`blob ${blob}`);
  say(`erasing ${round}4`);
  await store.dispatch.erase(`${round}4`);
}
await store.close();
