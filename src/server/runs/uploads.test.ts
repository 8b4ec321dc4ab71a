import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { pdfOf } from '../../../test/pdf.ts';
import { flowOf, startRun, testWorld, ended } from '../../../test/world.ts';
import { Engine } from '../../../test/engine.ts';
import { localTenant } from '../../run/owner.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { Store } from '../../stores/store.ts';
import { documentShelves } from '../../tools/documents/shelves.ts';
import { Uploads, type BroughtBy, type Shelves, type UploadsOf } from './uploads.ts';

const here: BroughtBy = { by: 'ann', tenant: localTenant, conversation: 'c' };
const there: BroughtBy = { by: 'ann', tenant: localTenant, conversation: 'd' };

function uploadsIn(store: Store, shelves: Shelves = documentShelves() as Shelves) {
  const problems: unknown[] = [];
  const problem = (cause: unknown): void => void problems.push(cause);
  const uploads = new Uploads({ store, shelves, now: () => 1, problem });
  onTestFinished(() => uploads.close());
  return { problems, uploads };
}

async function runIn(store: Store, conversation: string): Promise<string> {
  const flow = flowOf(async () => 'done');
  const engine = new Engine(testWorld({ flows: [flow] }, { store }), 'w');
  const { run } = await startRun(engine, flow, { conversation });
  await ended(store, run);
  return run;
}

const markdown = (name: string, text: string) => ({ name, type: 'text/markdown', bytes: Buffer.from(text) });

const settled = (uploads: Uploads, of: UploadsOf) =>
  vi.waitFor(async () => {
    const rows = await uploads.list(of);
    expect(rows.map(({ state }) => state)).not.toContain('pending');
    expect(rows.map(({ state }) => state)).not.toContain('processing');
    return rows;
  });

describe('documents of a conversation', () => {
  test('[GD16] are read, found with citations, and found again after a restart', async () => {
    const store = memoryStore({ now: () => Date.now() });
    const { uploads, problems } = uploadsIn(store);
    const guide = Array.from(
      { length: 15 },
      (_, i) => `## Part ${i}\n\nThe valve of pump ${i} opens slowly.`,
    ).join('\n\n');
    const added = await uploads.add(here, markdown('guide.md', `# Pumps\n\n${guide}`));
    expect(added).toMatchObject({ name: 'guide.md', state: 'pending' });
    await uploads.add(here, {
      name: 'manual.pdf',
      type: 'application/pdf',
      bytes: Buffer.from(pdfOf([['First page'], ['The turbine spins']])),
    });
    expect((await settled(uploads, here)).map(({ state }) => state)).toEqual(['ready', 'ready']);
    const run = await runIn(store, here.conversation);
    for (const asked of [uploads, uploadsIn(store).uploads]) {
      const { passages, items, unread } = await asked.search(run, 'slow valve');
      expect(passages).toHaveLength(10);
      expect(passages[0]).toMatchObject({
        path: 'guide.md',
        title: expect.stringContaining('Pumps › Part'),
        quote: expect.stringContaining('valve'),
      });
      expect(items[0]).toMatchObject({
        kind: 'citation',
        url: expect.stringMatching(new RegExp(`^/api/files/${added.file}#L\\d+`)),
      });
      expect((await asked.search(run, 'turbine')).passages).toMatchObject([
        { path: 'manual.pdf', pages: { from: 2, to: 2 } },
      ]);
      expect(unread).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  test.for([
    { name: 'no.pdf', text: 'this is none', why: 'it is no PDF' },
    { name: 'tool.exe', text: 'MZ', why: 'it is no Markdown, text, HTML, CSV, JSON or PDF' },
    { name: 'blob.txt', text: 'a\0b', why: 'it is no text' },
    { name: 'blank.md', text: ' \n ', why: 'it is empty' },
  ])('[GD17] «$name» fails with a sentence, and the others are found', async ({ name, text, why }) => {
    const store = memoryStore({ now: () => Date.now() });
    const { uploads } = uploadsIn(store);
    await uploads.add(here, { name, type: 'application/octet-stream', bytes: Buffer.from(text) });
    await uploads.add(here, markdown('good.md', 'The valve opens.'));
    expect(await settled(uploads, here)).toMatchObject([{ name, state: 'failed', why }, { state: 'ready' }]);
    const { passages, unread } = await uploads.search(await runIn(store, 'c'), 'valve');
    expect(passages).toHaveLength(1);
    expect(unread).toEqual([`«${name}» could not be read: ${why}`]);
  });

  test('[GD16] what a process that is gone had begun to read is read by the next that is asked', async () => {
    const store = memoryStore({ now: () => Date.now() });
    const real = documentShelves() as Shelves;
    const reading = Promise.withResolvers<void>();
    const hanging: Shelves = { ...real, put: () => (reading.resolve(), new Promise(() => {})) };
    const { uploads: gone } = uploadsIn(store, hanging);
    await gone.add(here, markdown('a.md', 'The valve opens.'));
    await reading.promise;
    expect(await gone.list(here)).toMatchObject([{ state: 'processing' }]);
    const { uploads } = uploadsIn(store);
    expect(await settled(uploads, here)).toMatchObject([{ state: 'ready' }]);
  });

  test('[GD16] are of one conversation, and go with it', async () => {
    const store = memoryStore({ now: () => Date.now() });
    const { uploads } = uploadsIn(store);
    const { file } = await uploads.add(here, markdown('a.md', 'The valve opens.'));
    await uploads.add(there, markdown('b.md', 'The turbine spins.'));
    await settled(uploads, here);
    await settled(uploads, there);
    const run = await runIn(store, there.conversation);
    expect((await uploads.search(run, 'valve')).passages).toEqual([]);
    expect((await uploads.search(run, 'turbine')).passages).toHaveLength(1);
    await uploads.erase(here);
    expect(await uploads.list(here)).toEqual([]);
    expect((await uploads.search(await runIn(store, here.conversation), 'valve')).passages).toEqual([]);
    expect(await store.blobs.get(localTenant, file)).toBeUndefined();
  });
});
