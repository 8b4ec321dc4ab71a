import { createHash } from 'node:crypto';

/** A name for a command that is the same whenever the same is asked: asking twice is asking once. */
export function sameAgain(kind: string, ...parts: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${kind}_${digest.slice(0, 32)}`;
}

/** An idempotency key is of the person who chose it, and may be anything: neither others nor the store see what it was. */
export function startKey(who: string, key: string): string {
  return sameAgain('start', who, key);
}

/** There is one stop in a run: whoever asks again, also after its end, gets what the first one got. */
export function stopOf(run: string): string {
  return sameAgain('stop', run);
}
