import { RunError } from '../../run/failure.ts';
import type { RunRow, SharedKey } from '../store.ts';

/** What SQLite says where the pages of a database do not make sense: SQLITE_CORRUPT, SQLITE_NOTADB. */
const corrupt = new Set([11, 26]);

export function isCorrupt(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && corrupt.has(Number(thrown.errcode) & 0xff);
}

/** What lies after this entry is not what was written. */
export function damagedAfter({ run, state }: Pick<RunRow, 'run' | 'state'>, after: number): RunError {
  const can =
    state === 'ended'
      ? 'It has ended, and can be exported and erased'
      : 'It can be stopped, exported and erased';
  const message = `Run ${run} is damaged: its journal is good up to entry ${after}. ${can}; the rest is in a backup, if there is one.`;
  return new RunError('damaged', message, { after });
}

/** Nothing of it can be believed, not even whose it is. */
export function damagedRow(run: string): RunError {
  const message = `Run ${run} is damaged: what is kept about it is not what was written. Restore a backup to go on with it.`;
  return new RunError('damaged', message);
}

/** What an index does not know may be there all the same. */
export function damagedKey(key: string): RunError {
  const message = `Whether a run was started with the key ${key} cannot be told: the database is damaged. Restore a backup.`;
  return new RunError('damaged', message);
}

export function damagedBlob(blob: string): RunError {
  return new RunError('damaged', `The text ${blob} is damaged: it is not what was put there.`);
}

export function damagedShared(key: SharedKey): RunError {
  const message = `«${wordsOf(key)}» is damaged: it is not what was kept. Restore a backup of the folder.`;
  return new RunError('damaged', message);
}

export function wordsOf({ kind, tenant, name }: SharedKey): string {
  return [kind, tenant, name].filter((part) => part !== '').join(' ');
}

export function damagedCommand(run: string, id: string): RunError {
  return new RunError(
    'damaged',
    `The command ${id} of run ${run} is damaged, if there is one: it is not what was sent.`,
  );
}
