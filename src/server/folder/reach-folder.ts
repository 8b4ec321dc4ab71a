import { statSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { RunError } from '../../run/failure.ts';
import { socketPath } from './socket-path.ts';

/** A server that is reached through the socket of its folder: the same as at an address, for the owner of the folder. */
export interface FolderAddress {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
}

/** Whose things the owner of a folder asks for, where they are not their own. */
export const tenantHeader = 'vitrine-tenant';

/** How the process that holds a folder is asked; for another tenant than the owner's own where one is said. */
export function addressIn(folder: string, tenant?: string): FolderAddress {
  const more: Record<string, string> = tenant === undefined ? {} : { [tenantHeader]: tenant };
  return { url: 'http://localhost', fetch: fetchAt(socketPath(folder), more) };
}

/** Whether a process holds a folder and listens there. A socket that nobody listens on was left behind by one that died. */
export function isHeld(folder: string): Promise<boolean> {
  const path = socketPath(folder);
  expectOurs(path, folder);
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (cause: NodeJS.ErrnoException) => {
      socket.destroy();
      if (cause.code === 'ENOENT' || cause.code === 'ECONNREFUSED') return resolve(false);
      reject(new RunError('unavailable', `${path} cannot be reached (${cause.message}).`, { cause }));
    });
  });
}

/** `fetch` knows no sockets of files. */
function fetchAt(socket: string, more: Readonly<Record<string, string>>): typeof globalThis.fetch {
  return (input, { method = 'GET', headers, body, signal } = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const asked = request({
      socketPath: socket,
      path: `${pathname}${search}`,
      method,
      headers: { ...Object.fromEntries(new Headers(headers)), ...more },
      agent: false,
      signal: signal ?? undefined,
    });
    asked.on('response', (answer) => resolve(responseOf(answer)));
    asked.on('error', reject);
    asked.end(body as string | Uint8Array | undefined);
    return promise;
  };
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 500, headers } = answer;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) answer.resume();
  // Whoever leaves destroys what is left of the answer; that is no failure of theirs.
  answer.on('error', () => {});
  const body = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers: given });
}

/** Anybody may put a socket into the temp folder, and what we would tell it is meant for a process of ours. */
function expectOurs(path: string, folder: string): void {
  if (process.getuid === undefined || dirname(path) === folder) return;
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || owner === process.getuid()) return;
  throw new RunError('refused', `The socket ${path} belongs to another user: choose another data folder.`);
}
