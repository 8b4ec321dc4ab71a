import { statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import { RunError } from '../../run/failure.ts';
import { fetchOver } from '../http/in-process.ts';
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
  return { url: 'http://localhost', fetch: fetchOver(() => createConnection(socketPath(folder)), more) };
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

/** Anybody may put a socket into the temp folder, and what we would tell it is meant for a process of ours. */
function expectOurs(path: string, folder: string): void {
  if (process.getuid === undefined || dirname(path) === folder) return;
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || owner === process.getuid()) return;
  throw new RunError('refused', `The socket ${path} belongs to another user: choose another data folder.`);
}
