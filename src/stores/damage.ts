import { RunError } from '../run/failure.ts';

/** What SQLite says where the pages of a database do not make sense: SQLITE_CORRUPT, SQLITE_NOTADB. */
const corrupt = new Set([11, 26]);

export function isCorrupt(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && corrupt.has(Number(thrown.errcode) & 0xff);
}

/** What lies after this entry is not what was written. */
export function damagedAfter(run: string, after: number, cause?: unknown): RunError {
  const message = `Run ${run} is damaged: its journal is good up to entry ${after}. It can be stopped, exported and erased; the rest is in a backup, if there is one.`;
  return new RunError('damaged', message, { after, cause });
}

/** Nothing of it can be believed, not even whose it is. */
export function damagedRow(run: string): RunError {
  const message = `Run ${run} is damaged: what is kept about it is not what was written. Its journal can be exported; restore a backup to go on with it.`;
  return new RunError('damaged', message);
}

export function damagedBlob(blob: string): RunError {
  return new RunError('damaged', `The text ${blob} is damaged: it is not what was put there.`);
}

export function damagedCommand(run: string, id: string): RunError {
  return new RunError('damaged', `The command ${id} of run ${run} is damaged: it is not what was sent.`);
}
