/** What SQLite says where another connection has what is wanted: SQLITE_BUSY, SQLITE_LOCKED. */
const busy = new Set([5, 6]);

/** How long another process may have the database before commits fail. Milliseconds. */
export const patience = 10_000;

export const busyWords = 'Another process has the database: end it, then try again.';

export function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && busy.has(Number(thrown.errcode) & 0xff);
}
