import { once } from 'node:events';
import { chmodSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { RunError } from '../../run/failure.ts';
import { socketPath } from './socket-path.ts';

/**
 * Listen at a folder's own socket, which only its owner can reach. Whoever calls this holds the folder's lock, so a socket
 * that is there already was left behind by a process that died. Returns what ends it.
 */
export async function listenInFolder(
  folder: string,
  take: (socket: Socket) => void,
): Promise<() => Promise<void>> {
  const path = socketPath(folder);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    take(socket);
  });
  await listen(server, path);
  const own = fileAt(path);
  return async () => {
    // By now the name may be that of another process, in a folder made anew.
    if (own !== undefined && fileAt(path) === own) rmSync(path, { force: true });
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of open) socket.destroySoon();
    await closed;
  };
}

/** Which file a path stands for. */
function fileAt(path: string): number | undefined {
  return process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false })?.ino;
}

async function listen(server: Server, path: string): Promise<void> {
  try {
    if (process.platform === 'win32') await listenAt(server, path);
    else await listenAside(server, path);
  } catch (thrown) {
    server.close();
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new RunError('unavailable', `The socket ${path} cannot be opened (${why}).`, { cause: thrown });
  }
}

/**
 * It comes to its place as its owner's alone: to take the others' rights away there would be a moment too late. So it is made in a
 * folder that nobody else can look into; a mask would be the whole process's, and a thread cannot set it.
 */
async function listenAside(server: Server, path: string): Promise<void> {
  const aside = mkdtempSync(`${dirname(path)}/.`);
  try {
    const made = join(aside, 's');
    await listenAt(server, made);
    chmodSync(made, 0o600);
    renameSync(made, path);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function listenAt(server: Server, path: string): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(path);
  await listening;
}
