import { readingFacets, type StoreReader } from '../facets.ts';
import { followers } from '../follow.ts';
import { sqliteThread } from './thread.ts';

/** The writer is another process and cannot tell us; looking costs one query for each run that is followed. */
const pollMilliseconds = 100;

/** The runs in a folder, read beside the process that writes it, or when none does. */
export async function sqliteReader({ folder }: { readonly folder: string }): Promise<StoreReader> {
  const thread = await sqliteThread(folder, 'read');
  const live = followers((run, after) => thread.read('read', { run, after }));
  const poll = setInterval(() => live.lookAgain(), pollMilliseconds);
  return {
    ...readingFacets(thread, live),
    async close() {
      clearInterval(poll);
      await thread.close();
      live.close();
    },
  };
}
