import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RunError } from '../run/failure.ts';
import { openHome, readHome, type HomeSettings } from './compose.ts';
import { controlClient } from './control-client.ts';
import type { Home } from './home.ts';
import { visitHome } from './visit.ts';

/** How often, and how long apart, to try again while the folder's holder is coming or going. Milliseconds. */
const tries = 20;
const pause = 100;

/** Come to a folder: as a visitor of the process that holds it, or, when nobody does, as its holder. */
export async function enterHome(settings: HomeSettings): Promise<Home> {
  for (let left = tries; ; left -= 1) {
    const client = await controlClient(settings.data);
    if (client) return visitHome(await readHome(settings), client);
    try {
      return await openHome(settings);
    } catch (thrown) {
      if (left === 0 || !isHeld(settings.data, thrown)) throw thrown;
      await setTimeout(pause);
    }
  }
}

/** The lock names its holder in a file of its own; without one, something else is wrong with the folder. */
function isHeld(data: string, thrown: unknown): boolean {
  const isRefused = thrown instanceof RunError && thrown.failure.code === 'rejected';
  return isRefused && existsSync(join(data, 'holder.json'));
}
