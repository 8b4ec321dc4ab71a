import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ReadBuffer,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { endGroup, isWindows } from './process.ts';

/** How to start a server: no shell, arguments as they are, and no variable but those named here. */
export interface StdioServer {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

export interface StdioTransport extends Transport {
  /** The client tells a pipe from HTTP by these two. */
  readonly pid: number | undefined;
  readonly stderr: null;
  /** The end of what the server wrote to its error output: usually why it did not start. */
  complaint(): string;
}

/** Milliseconds for what a server wrote just before it died. */
const drain = 250;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * A server as a child process. The client's own transport is not used: it cannot put the child into a process group, so
 * what `npx` starts would outlive it, and it takes a server for alive as long as anyone holds its pipes.
 */
export function stdioTransport(server: StdioServer): StdioTransport {
  let child: Child | undefined;
  let complaint = '';
  let ending: Promise<void> | undefined;

  const transport: StdioTransport = {
    get pid() {
      return child?.pid;
    },
    stderr: null,
    complaint: () => complaint.trim(),
    async start() {
      child = launch(server);
      child.stderr
        .setEncoding('utf8')
        .on('data', (text: string) => (complaint = (complaint + text).slice(-2000)));
      child.on('error', (error) => transport.onerror?.(error));
      child.stdin.on('error', (error) => transport.onerror?.(error));
      await once(child, 'spawn');
      const delivered = deliver(child.stdout, transport).then(() => transport.close());
      // A last answer may still be in the pipe; but a helper that keeps the pipe must not keep a dead server alive.
      child.once('exit', () => void Promise.race([delivered, delay(drain)]).then(() => transport.close()));
    },
    send: (message) => write(child, message),
    close() {
      if (ending !== undefined) return ending;
      ending = end(child);
      // Before the end, not after it: calls in flight fail now, however long the server takes to go.
      transport.onclose?.();
      return ending;
    },
  };
  return transport;
}

function launch({ command, environment, folder }: StdioServer): Child {
  const [file = '', ...rest] = command;
  return spawn(file, rest, {
    env: { ...inherited(), ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    // A group of its own, so that helpers the server starts end with it, and Ctrl-C in our terminal is ours to handle.
    detached: !isWindows,
    cwd: folder,
  });
}

/** Our own environment holds keys of models and databases; a server gets only what programs cannot start without. */
function inherited(): Record<string, string> {
  const names = isWindows
    ? ['PATH', 'PATHEXT', 'SYSTEMROOT', 'COMSPEC', 'TEMP', 'USERPROFILE']
    : ['PATH', 'HOME'];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

async function deliver(output: Readable, transport: StdioTransport): Promise<void> {
  const buffer = new ReadBuffer();
  try {
    for await (const chunk of output) {
      buffer.append(chunk);
      for (let message = next(buffer, transport); message !== null; message = next(buffer, transport)) {
        transport.onmessage?.(message);
        // The client handles notifications a tick later but responses at once: without a pause in between, progress
        // that arrives together with its result would find the call gone.
        await Promise.resolve();
      }
    }
  } catch (error) {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

/** JSON that is no message is reported and skipped; lines that are not JSON (a banner) are skipped. */
function next(buffer: ReadBuffer, transport: StdioTransport): JSONRPCMessage | null {
  for (;;) {
    try {
      return buffer.readMessage();
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** The end of the line is written last, so a request whose writing failed was never read as one. */
function write(child: Child | undefined, message: JSONRPCMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = (cause?: Error): void =>
      reject(new SdkError(SdkErrorCode.NotConnected, 'The server is not running', undefined, { cause }));
    if (child === undefined || !child.stdin.writable) gone();
    else child.stdin.write(serializeMessage(message), (error) => (error ? gone(error) : resolve()));
  });
}

async function end(child: Child | undefined): Promise<void> {
  if (child === undefined || child.pid === undefined) return;
  child.stdin.end();
  await endGroup(child);
  // Someone who left the group may still hold the other end; nothing more is read from it.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}
