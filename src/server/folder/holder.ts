import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RunError } from '../../run/failure.ts';
import type { Endpoint } from '../../wire/native/endpoint.ts';
import { Holder, readHolder } from '../../wire/native/folder.ts';
import { Refusal } from '../../wire/native/refusal.ts';
import { holderIn } from '../compose/whole-folder.ts';
import { addressIn, isHeld } from './reach-folder.ts';

/** How often, and how long apart, to try again while the folder's holder is coming or going. Milliseconds. */
export const tries = 20;
export const pause = 100;

/** How long a holder may take to say that it is there before whoever waits is told. Milliseconds. */
const patience = 5_000;

/**
 * The process that holds a folder, once it answers; undefined where nobody does. It is asked for nothing before it does:
 * what a process that stands still was asked for it would do when it goes on, with nobody left who wants it.
 */
export async function holderOf(folder: string, tell: (line: string) => void): Promise<Holder | undefined> {
  if (!(await isHeld(folder))) return undefined;
  const silence = `The process that holds the folder does not answer (${holderIn(folder)}); Ctrl-C ends waiting.`;
  const timer = setTimeout(() => tell(silence), patience);
  try {
    return Holder.parse(await askHolder(folder, readHolder));
  } catch (thrown) {
    // It has gone, or is about to.
    if (!(thrown instanceof RunError && thrown.failure.code === 'unavailable')) throw thrown;
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Ask the process that holds a folder, as its owner. */
export async function askHolder(
  folder: string,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  body?: object,
): Promise<unknown> {
  const { url, fetch } = addressIn(folder);
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}${path}`, { method, ...json, headers }).catch((cause: unknown) => {
    throw new RunError('unavailable', 'The process that holds the folder ended before it answered.', {
      cause,
    });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer;
  const told = Refusal.safeParse(answer);
  if (!told.success)
    throw new RunError('unavailable', `The holder of the folder answered ${response.status}.`);
  const { code, message, retryable } = told.data.error;
  throw new RunError(code, message, { retryable: retryable ?? false });
}

/** The lock names its holder in a file of its own; without one, something else is wrong with the folder. */
export function isLocked(folder: string, thrown: unknown): boolean {
  const isRefused = thrown instanceof RunError && thrown.failure.code === 'rejected';
  return isRefused && existsSync(join(folder, 'holder.json'));
}
