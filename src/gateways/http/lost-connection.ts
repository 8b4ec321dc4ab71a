/** The other side was there, and went. */
const gone =
  /^(?:UND_ERR_(?:SOCKET|CLOSED|DESTROYED|ABORTED)|ECONNRESET|EPIPE|terminated|other side closed)$/;

/** What people read of a connection that failed, without its last full stop. What a library calls that is for the log. */
export function connectionFailed(who: string, code: string): string {
  const connection = `The connection to ${who.replace(/^The /, 'the ')}`;
  if (gone.test(code)) return `${connection} was lost`;
  return code.startsWith('UND_ERR_') ? `${connection} failed` : `${connection} failed (${code})`;
}
