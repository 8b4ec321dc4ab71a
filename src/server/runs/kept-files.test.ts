import { expect, test } from 'vitest';
import { memoryStore } from '../../stores/memory.ts';
import { KeptFiles } from './kept-files.ts';

test('[V248] files that were kept before it was known who used them where are there for who sent them', async () => {
  const store = memoryStore({ now: () => 1 });
  const { blob: file } = await store.blobs.put({ tenant: 't', run: 'file_a' }, 'bytes');
  const older = { file, name: 'a.txt', type: 'text/plain', size: 5, at: 1, owner: 'file_a' };
  const value = JSON.stringify([{ ...older, by: ['ann', 'bob'], uses: ['c'] }]);
  await store.shared.set({ kind: 'files', tenant: 't', name: file.slice(0, 2), value, version: 0 });
  const files = new KeptFiles(store);
  const listed = { file, name: 'a.txt', type: 'text/plain', size: 5, at: 1, uses: 1 };
  expect(await files.list({ tenant: 't', by: 'ann' })).toEqual([listed]);
  await files.erase({ tenant: 't', by: 'ann' }, file);
  expect(await files.list({ tenant: 't', by: 'bob' })).toEqual([listed]);
  await files.release({ tenant: 't', conversation: 'c' });
  expect([await files.holders('t', file), await store.blobs.get('t', file)]).toEqual([[], undefined]);
});
