import { keptSecrets } from '../../server/compose/secret-names.ts';
import type { Folder } from './beside.ts';
import { within } from './held.ts';
import type { Reached } from './terminal-home.ts';

/** A folder that is only looked at, where nobody answers who has it. */
export async function readerIn({ data, tenant }: Folder): Promise<Reached> {
  // Whoever is answered by another process does not wait for what answers to be loaded.
  const { hostReader } = await import('../../server/host-reader.ts');
  const hosted = await hostReader(data);
  return {
    server: within(hosted, tenant),
    tenant,
    clean: keptSecrets(data).clean,
    away: async () => {},
    close: () => hosted.close(),
  };
}
