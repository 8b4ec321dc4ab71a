import { timingSafeEqual } from 'node:crypto';
import { RunError } from '../../run/failure.ts';
import type { Known } from '../shared/kind.ts';
import { watchedKind, type SharedStore, type Watching } from '../shared/watched-kind.ts';
import { digest, keysKind, type KeyRecord } from './keys.ts';

/** The keys of a store as a running server sees them: what another process changes is seen soon. */
export interface Keyring {
  /** Whose key it is; undefined if it is none. Fails with a sentence where it was one until it expired. */
  find(key: string): Promise<KeyRecord | undefined>;
  isGood(id: string): boolean;
  /** Whether there is no good one. */
  readonly isEmpty: boolean;
  /** Look whether some have changed. */
  lookAgain(): Promise<void>;
  /** Why what was changed there is not seen; undefined while it is. */
  trouble(): string | undefined;
}

const unseen = 'Until then the keys are good that were so before, those that were revoked since included.';

/** How soon after looking for a key that is not known it is looked for again. Milliseconds. */
const pause = 1_000;

export interface KeyringSettings extends Watching {
  readonly now: () => number;
}

export async function keyringOf(store: SharedStore, { now, ...watching }: KeyringSettings): Promise<Keyring> {
  const watched = await watchedKind(store, keysKind, watching);
  let [seen, byId] = [watched.all(), idsOf(watched.all())];
  const record = (id: string): KeyRecord | undefined => {
    if (seen !== watched.all()) [seen, byId] = [watched.all(), idsOf(watched.all())];
    return byId.get(id);
  };
  const isGood = (id: string): boolean => {
    const found = record(id);
    return found !== undefined && found.revokedAt === undefined && !isOver(found, now());
  };
  let looked = -Infinity;
  /** One may have been made a moment ago; whoever guesses must not keep the store busy. */
  const lookFor = async (id: string): Promise<KeyRecord | undefined> => {
    const known = record(id);
    if (known || id === '') return known;
    const isSoon = now() - looked < pause;
    if (!isSoon) looked = now();
    await (isSoon ? watched.settled() : watched.lookAgain());
    return record(id);
  };
  return {
    lookAgain: () => watched.lookAgain(),
    trouble() {
      const trouble = watched.trouble();
      return trouble === undefined ? undefined : `${trouble} ${unseen}`;
    },
    isGood,
    get isEmpty() {
      return !watched.all().some(({ value }) => value.some(({ id }) => isGood(id)));
    },
    async find(key) {
      const [, id = ''] = /^vit_([0-9a-f]{12})_[\w-]{43}$/.exec(key) ?? [];
      const found = await lookFor(id);
      if (!found || found.revokedAt !== undefined) return undefined;
      if (!timingSafeEqual(digest(key), Buffer.from(found.hash, 'hex'))) return undefined;
      if (isOver(found, now())) throw expired(found);
      return found;
    },
  };
}

function idsOf(all: readonly Known<readonly KeyRecord[]>[]): ReadonlyMap<string, KeyRecord> {
  return new Map(all.flatMap(({ value }) => value).map((record) => [record.id, record]));
}

function isOver({ expiresAt = Infinity }: KeyRecord, now: number): boolean {
  return now >= expiresAt;
}

/** Said to nobody but whoever has the whole key. */
function expired({ expiresAt = 0 }: KeyRecord): RunError {
  const day = new Date(expiresAt).toISOString().slice(0, 10);
  return new RunError('unauthenticated', `This key has expired on ${day}: ask for another.`);
}
