import { timingSafeEqual } from 'node:crypto';
import { statSync } from 'node:fs';
import { digest, keyFileOf, readKeys, type KeyRecord } from './keys.ts';

/** The keys of a folder as a running server sees them: what another process changes is seen soon. */
export interface Keyring {
  find(key: string): KeyRecord | undefined;
  isGood(id: string): boolean;
  readonly isEmpty: boolean;
  /** Look whether the file has changed. */
  reload(): void;
}

/** `problem` hears of a file that was spoilt meanwhile: until it is restored the keys are good that were so before. */
export function keyringOf(folder: string, problem: (cause: unknown) => void): Keyring {
  const file = keyFileOf(folder);
  let stamp = stampOf(file);
  let keys = byId(folder);
  const reload = (): void => {
    const now = stampOf(file);
    if (now === stamp) return;
    stamp = now;
    try {
      keys = byId(folder);
    } catch (thrown) {
      problem(thrown);
    }
  };
  const isGood = (id: string): boolean => {
    const record = keys.get(id);
    return record !== undefined && record.revokedAt === undefined;
  };
  return {
    reload,
    isGood,
    get isEmpty() {
      return ![...keys.keys()].some(isGood);
    },
    find(key) {
      const [, id = ''] = /^vit_([0-9a-f]{12})_[\w-]{43}$/.exec(key) ?? [];
      // A key may have been made a moment ago.
      if (id !== '' && !keys.has(id)) reload();
      const record = keys.get(id);
      if (!record || !isGood(id)) return undefined;
      return timingSafeEqual(digest(key), Buffer.from(record.hash, 'hex')) ? record : undefined;
    },
  };
}

function byId(folder: string): Map<string, KeyRecord> {
  return new Map(readKeys(folder).map((record) => [record.id, record]));
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
}
