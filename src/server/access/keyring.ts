import { timingSafeEqual } from 'node:crypto';
import { statSync } from 'node:fs';
import { failureOf, RunError } from '../../run/failure.ts';
import { digest, keyFileOf, readKeys, type KeyRecord } from './keys.ts';

/** The keys of a folder as a running server sees them: what another process changes is seen soon. */
export interface Keyring {
  /** Whose key it is; undefined if it is none. Fails with a sentence where it was one until it expired. */
  find(key: string): KeyRecord | undefined;
  isGood(id: string): boolean;
  /** Whether there is no good one. */
  readonly isEmpty: boolean;
  /** Look whether the file has changed. */
  reload(): void;
  /** Why what was changed there is not seen; undefined while it is. */
  trouble(): string | undefined;
}

const unseen = 'Until then the keys are good that were so before, those that were revoked since included.';

export interface KeyringSettings {
  readonly now: () => number;
  /** Hears of a file that was spoilt meanwhile: until it is restored the keys are good that were so before. */
  readonly problem: (cause: unknown) => void;
  /** Hears that it was restored. */
  readonly restored?: () => void;
}

export function keyringOf(folder: string, { now, problem, restored }: KeyringSettings): Keyring {
  const file = keyFileOf(folder);
  let stamp = stampOf(file);
  let keys = byId(folder);
  let trouble: string | undefined;
  const reload = (): void => {
    const seen = stampOf(file);
    if (seen === stamp) return;
    stamp = seen;
    try {
      keys = byId(folder);
      if (trouble !== undefined) restored?.();
      trouble = undefined;
    } catch (thrown) {
      trouble = `${failureOf(thrown).message} ${unseen}`;
      problem(thrown);
    }
  };
  const isGood = (id: string): boolean => {
    const record = keys.get(id);
    return record !== undefined && record.revokedAt === undefined && !isOver(record, now());
  };
  return {
    reload,
    trouble: () => trouble,
    isGood,
    get isEmpty() {
      return ![...keys.keys()].some(isGood);
    },
    find(key) {
      const [, id = ''] = /^vit_([0-9a-f]{12})_[\w-]{43}$/.exec(key) ?? [];
      // A key may have been made a moment ago.
      if (id !== '' && !keys.has(id)) reload();
      const record = keys.get(id);
      if (!record || record.revokedAt !== undefined) return undefined;
      if (!timingSafeEqual(digest(key), Buffer.from(record.hash, 'hex'))) return undefined;
      if (isOver(record, now())) throw expired(record);
      return record;
    },
  };
}

function isOver({ expiresAt = Infinity }: KeyRecord, now: number): boolean {
  return now >= expiresAt;
}

/** Said to nobody but whoever has the whole key. */
function expired({ expiresAt = 0 }: KeyRecord): RunError {
  const day = new Date(expiresAt).toISOString().slice(0, 10);
  return new RunError('unauthenticated', `This key has expired on ${day}: ask for another.`);
}

function byId(folder: string): Map<string, KeyRecord> {
  return new Map(readKeys(folder).map((record) => [record.id, record]));
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
}
