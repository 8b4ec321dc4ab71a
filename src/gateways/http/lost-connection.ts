/** The other side was there, and went. */
const gone =
  /^(?:UND_ERR_(?:SOCKET|CLOSED|DESTROYED|ABORTED)|ECONNRESET|EPIPE|terminated|other side closed)$/;

/** What people read of a connection that failed, without its last full stop. What a library calls that is for the log. */
export function connectionFailed(who: string, code: string): string {
  const connection = `The connection to ${who.replace(/^The /, 'the ')}`;
  if (gone.test(code)) return `${connection} was lost`;
  return code.startsWith('UND_ERR_') ? `${connection} failed` : `${connection} failed (${code})`;
}

/** What the system calls it, wherever in the chain of causes that stands. */
export function codeIn(error: unknown): string {
  let last = 'it was lost';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    if (cause.cause === undefined && /^[\w ]+$/.test(cause.message)) last = cause.message;
  }
  return last;
}
