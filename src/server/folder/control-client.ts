import { statSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { RunError } from '../../run/failure.ts';
import { ControlReply, longestLine, type ControlRequest } from './control-message.ts';
import { controlPath } from './control-path.ts';
import { readLines } from './lines.ts';

/** A line to the process that holds a folder. */
export interface ControlClient {
  ask(request: ControlRequest): Promise<Exclude<ControlReply, { failure: unknown }>>;
  /** Whether that process is gone, or has let go of the folder. */
  isGone(): boolean;
  close(): void;
}

/** Reach whoever holds a folder; undefined when nobody does. */
export async function controlClient(folder: string): Promise<ControlClient | undefined> {
  const path = controlPath(folder);
  expectOurs(path, folder);
  const socket = await connect(path);
  return socket && clientOn(socket);
}

/** Where the process that holds a folder serves it; undefined when it does not, or nobody holds it. */
export async function servedAt(folder: string): Promise<string | undefined> {
  const client = await controlClient(folder);
  try {
    const reply = await client?.ask({ type: 'where' });
    return reply && 'where' in reply && reply.where !== null ? reply.where : undefined;
  } finally {
    client?.close();
  }
}

function clientOn(socket: Socket): ControlClient {
  const waiting: { resolve(reply: ControlReply): void; reject(reason: RunError): void }[] = [];
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    for (const asked of waiting.splice(0)) {
      asked.reject(
        new RunError('unavailable', 'The process that holds the folder ended before it answered.'),
      );
    }
  });
  readLines(socket, longestLine, (line) => waiting.shift()?.resolve(ControlReply.parse(JSON.parse(line))));
  return {
    isGone: () => socket.destroyed,
    close: () => socket.destroy(),
    async ask(request) {
      const reply = await new Promise<ControlReply>((resolve, reject) => {
        if (socket.destroyed) return reject(new RunError('unavailable', 'Nobody holds the folder any more.'));
        waiting.push({ resolve, reject });
        socket.write(`${JSON.stringify(request)}\n`);
      });
      if (!('failure' in reply)) return reply;
      const { code, message, retryable } = reply.failure;
      throw new RunError(code, message, retryable === undefined ? {} : { retryable });
    },
  };
}

function connect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.destroy();
      // A socket that nobody listens on was left behind by a process that died.
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') return resolve(undefined);
      reject(new RunError('unavailable', `${path} cannot be reached (${error.message}).`, { cause: error }));
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
