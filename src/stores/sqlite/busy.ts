/** What SQLite says where another connection has what is wanted: SQLITE_BUSY, SQLITE_LOCKED. */
const busy = new Set([5, 6]);

export function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && busy.has(Number(thrown.errcode) & 0xff);
}
