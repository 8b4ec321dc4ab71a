import { rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
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
  if (process.platform !== 'win32') rmSync(path, { force: true });
  await listen(server, path);
  const own = fileAt(path);
  return async () => {
    // To close a socket takes its name away, which by now may be that of another process, in a folder made anew.
    const isOurs = fileAt(path) === own;
    const closed = isOurs ? new Promise((resolve) => server.close(resolve)) : server.unref();
    for (const socket of open) socket.destroySoon();
    await closed;
  };
}

/** Which file a path stands for. */
function fileAt(path: string): number | undefined {
  return process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false })?.ino;
}

async function listen(server: Server, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (cause) => {
    reject(new RunError('unavailable', `The socket ${path} cannot be opened (${cause.message}).`, { cause }));
  });
  // It is made for its owner alone: to take the others' rights away afterwards would be a moment too late.
  const before = process.umask(0o177);
  try {
    server.listen(path, resolve);
  } finally {
    process.umask(before);
  }
  return promise;
}
