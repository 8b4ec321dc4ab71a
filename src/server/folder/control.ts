import { chmodSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { failureOf, RunError } from '../../run/failure.ts';
import { ControlRequest, longestLine, type ControlReply } from './control-message.ts';
import { controlPath } from './control-path.ts';
import { folderOwner, type Control } from './home.ts';
import type { Shared } from '../../stores/store.ts';
import { readLines } from './lines.ts';

/** What other terminals may ask for. */
export interface Heard extends Control {
  /** The address this process serves at, if it does. */
  where(): string | undefined;
  readonly shared: Shared;
}

/**
 * Listen for what other terminals want of this folder. Whoever calls this holds the folder's lock, so a socket that is
 * there already was left behind by a process that died. Returns what ends it.
 */
export async function listenForControl(folder: string, control: Heard): Promise<() => Promise<void>> {
  const path = controlPath(folder);
  const sockets = new Map<Socket, () => Promise<void>>();
  const server = createServer((socket) => {
    sockets.set(socket, serve(socket, control));
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  if (process.platform !== 'win32') rmSync(path, { force: true });
  await listen(server, path);
  const own = fileAt(path);
  return async () => {
    // To close a socket takes its name away, which by now may be that of another process, in a folder made anew.
    const isOurs = fileAt(path) === own;
    const closed = isOurs ? new Promise((resolve) => server.close(resolve)) : server.unref();
    // Whoever asked to stop the last run here must still hear that it was stopped.
    await Promise.all([...sockets.values()].map((answered) => answered()));
    for (const socket of sockets.keys()) socket.destroySoon();
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
  server.listen(path, resolve);
  await promise;
  if (process.platform !== 'win32') chmodSync(path, 0o600);
}

/** Answers one request after the other. Returns what waits until all of them are answered. */
function serve(socket: Socket, control: Heard): () => Promise<void> {
  let before: Promise<void> = Promise.resolve();
  readLines(socket, longestLine, (line) => {
    before = before.then(async () => {
      const reply = await answer(line, control).catch((thrown: unknown) => ({ failure: failureOf(thrown) }));
      if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
    });
  });
  return () => before;
}

async function answer(line: string, control: Heard): Promise<ControlReply> {
  const request = parse(line);
  // Whoever reaches this socket has the folder, whatever they call themselves.
  const by = folderOwner;
  switch (request.type) {
    case 'start':
      return { started: await control.start({ ...request, by }) };
    case 'send':
      return { receipt: await control.send(request.run, { ...request.command, by }) };
    case 'takeUp':
      return { taken: await control.takeUp(request.run) };
    case 'erase':
      return { erased: await control.erase(request.conversation, request.tenant) };
    case 'shared':
      return { shared: [...(await control.shared.list(request.filter))] };
    case 'share':
      return { version: await control.shared.set(request.change) };
    case 'where':
      return { where: control.where() ?? null };
  }
}

function parse(line: string): ControlRequest {
  const parsed = ControlRequest.safeParse(jsonOf(line));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the line';
  throw new RunError('malformed', `The request does not fit: ${where}: ${issue?.message ?? 'unreadable'}.`);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new RunError('malformed', 'The request is not a line of JSON.', { cause });
  }
}
