import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { askFor } from '../../client/ask.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { holderIn, readHome, type HomeSettings } from '../../server/compose/compose.ts';
import { addressIn, isHeld } from '../../server/folder/reach-folder.ts';
import type { Home } from '../../server/folder/home.ts';
import { readHolder, type Holder } from '../../wire/native/folder.ts';
import { besideHolder } from './beside.ts';

/** How often, and how long apart, to try again while the folder's holder is coming or going. Milliseconds. */
const tries = 20;
const pause = 100;

/** How long a holder may take to say that it is there before whoever waits is told. Milliseconds. */
const patience = 5_000;

/**
 * Come to a folder: beside the process that holds it, or, when nobody does, as its holder. `tell` hears why it takes long.
 */
export async function enterHome(
  settings: HomeSettings,
  tell: (line: string) => void = () => {},
): Promise<Home> {
  const { data } = settings;
  for (let left = tries; ; left -= 1) {
    const holder = (await isHeld(data)) ? await holderOf(data, () => tell(silence(data))) : undefined;
    if (holder) return besideHolder(await readHome(settings), data, holder);
    try {
      // Whoever only asks another process does not wait for the server to be loaded.
      const { holdFolder } = await import('../../server/hold-folder.ts');
      return await holdFolder(settings);
    } catch (thrown) {
      if (left === 0 || !isLocked(data, thrown)) throw thrown;
      await setTimeout(pause);
    }
  }
}

/**
 * The process that holds a folder, once it answers. It is asked for nothing before it does: what a process that stands
 * still was asked for it would do when it goes on, with nobody left who wants it.
 */
async function holderOf(data: string, silent: () => void): Promise<Holder | undefined> {
  const timer = globalThis.setTimeout(silent, patience);
  try {
    return await askFor(addressIn(data), readHolder, {});
  } catch (thrown) {
    // It has gone, or is about to.
    if (failureOf(thrown).code !== 'unavailable') throw thrown;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function silence(data: string): string {
  return `The process that holds the folder does not answer (${holderIn(data)}); Ctrl-C ends waiting.`;
}

/** The lock names its holder in a file of its own; without one, something else is wrong with the folder. */
function isLocked(data: string, thrown: unknown): boolean {
  const isRefused = thrown instanceof RunError && thrown.failure.code === 'rejected';
  return isRefused && existsSync(join(data, 'holder.json'));
}
