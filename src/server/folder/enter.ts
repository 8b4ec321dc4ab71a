import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RunError } from '../../run/failure.ts';
import { holderIn, openHome, readHome, type HomeSettings } from '../compose/compose.ts';
import { controlClient, type ControlClient } from './control-client.ts';
import type { Home } from './home.ts';
import { visitHome } from './visit.ts';

/** How often, and how long apart, to try again while the folder's holder is coming or going. Milliseconds. */
export const tries = 20;
export const pause = 100;

/** How long a holder may take to say that it is there before whoever waits is told. Milliseconds. */
const patience = 5_000;

/**
 * Come to a folder: as a visitor of the process that holds it, or, when nobody does, as its holder. `tell` hears why it
 * takes long.
 */
export async function enterHome(
  settings: HomeSettings,
  tell: (line: string) => void = () => {},
): Promise<Home> {
  for (let left = tries; ; left -= 1) {
    const client = await controlClient(settings.data);
    if (client && (await isThere(client, () => tell(silence(settings.data)))))
      return visitHome(await readHome(settings), client);
    try {
      return await openHome(settings);
    } catch (thrown) {
      if (left === 0 || !isHeld(settings.data, thrown)) throw thrown;
      await setTimeout(pause);
    }
  }
}

/**
 * Whether the process that holds a folder answers. It is asked for nothing before it does: what a process that stands
 * still was asked for it would do when it goes on, with nobody left who wants it.
 */
export async function isThere(client: ControlClient, silent: () => void): Promise<boolean> {
  const timer = globalThis.setTimeout(silent, patience);
  try {
    await client.ask({ type: 'where' });
    return true;
  } catch (thrown) {
    if (!client.isGone()) throw thrown;
    return false;
  } finally {
    clearTimeout(timer);
  }
}

export function silence(data: string): string {
  return `The process that holds the folder does not answer (${holderIn(data)}); Ctrl-C ends waiting.`;
}

/** The lock names its holder in a file of its own; without one, something else is wrong with the folder. */
export function isHeld(data: string, thrown: unknown): boolean {
  const isRefused = thrown instanceof RunError && thrown.failure.code === 'rejected';
  return isRefused && existsSync(join(data, 'holder.json'));
}
