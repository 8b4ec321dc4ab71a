import { setTimeout } from 'node:timers/promises';
import { askFor } from '../../client/ask.ts';
import type { FolderSettings } from '../../server/compose/compose.ts';
import { holderOf, isLocked, pause, tries } from '../../server/folder/holder.ts';
import { addressIn, isHeld } from '../../server/folder/reach-folder.ts';
import { readHolder, type Holder } from '../../wire/native/folder.ts';
import { besideHolder, type Folder } from './beside.ts';
import { readerIn } from './reader.ts';
import type { Reached, TerminalHome } from './terminal-home.ts';

/**
 * Come to a folder: beside the process that holds it, or, when nobody does, as its holder. `tell` hears why it takes long.
 */
export async function enterHome(
  settings: FolderSettings & Folder,
  tell: (line: string) => void = () => {},
): Promise<TerminalHome> {
  const { data, tenant } = settings;
  for (let left = tries; ; left -= 1) {
    const holder = await holderOf(data, tell);
    if (holder) return besideHolder(settings, holder);
    try {
      // Whoever only asks another process does not wait for the server to be loaded.
      const [{ hostFolder }, { heldFolder }] = await Promise.all([
        import('../../server/host-folder.ts'),
        import('./held.ts'),
      ]);
      return heldFolder(await hostFolder(settings), tenant);
    } catch (thrown) {
      if (left === 0 || !isLocked(data, thrown)) throw thrown;
      await setTimeout(pause);
    }
  }
}

/** How long whoever only looks waits for the process that holds the folder. Milliseconds. */
const patience = 2_000;

/** Come to a folder to look, and to change nothing: whoever holds it is asked, if they answer. */
export async function lookAround(folder: Folder): Promise<Reached> {
  const holder = await answering(folder.data);
  return holder ? besideHolder(folder, holder) : readerIn(folder);
}

/** A process that stands still, or is another's, keeps nobody from reading. */
async function answering(data: string): Promise<Holder | undefined> {
  if (!(await isHeld(data).catch(() => false))) return undefined;
  const signal = AbortSignal.timeout(patience);
  return askFor(addressIn(data), readHolder, { signal }).catch(() => undefined);
}
