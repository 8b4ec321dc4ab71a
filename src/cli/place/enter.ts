import { setTimeout } from 'node:timers/promises';
import type { FolderSettings } from '../../server/compose/compose.ts';
import { readFolder } from '../../server/compose/read-folder.ts';
import { holderOf, isLocked, pause, tries } from '../../server/folder/holder.ts';
import { besideHolder } from './beside.ts';
import type { TerminalHome } from './terminal-home.ts';

/**
 * Come to a folder: beside the process that holds it, or, when nobody does, as its holder. `tell` hears why it takes long.
 */
export async function enterHome(
  settings: FolderSettings,
  tell: (line: string) => void = () => {},
): Promise<TerminalHome> {
  const { data } = settings;
  for (let left = tries; ; left -= 1) {
    const holder = await holderOf(data, tell);
    if (holder) return besideHolder(await readFolder(settings), data, holder);
    try {
      // Whoever only asks another process does not wait for the server to be loaded.
      const [{ hostFolder }, { heldFolder }] = await Promise.all([
        import('../../server/host-folder.ts'),
        import('./held.ts'),
      ]);
      return heldFolder(await hostFolder(settings));
    } catch (thrown) {
      if (left === 0 || !isLocked(data, thrown)) throw thrown;
      await setTimeout(pause);
    }
  }
}
