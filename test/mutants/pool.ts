// Where tests of mutants run. A process is kept for the next one: to begin it, and to read what is not ours, took more than most tests.
import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PoolOptions, PoolWorker, WorkerRequest } from 'vitest/node';
import { isLeft } from './left.ts';

const workerPath = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** A process, and for which project it was begun. */
interface Kept {
  readonly child: ChildProcess;
  readonly project: string;
}

let kept: Kept | undefined;

/** For projects whose files share processes anyway; others get a new one each time. */
export function mutantPool(keeps: boolean) {
  return {
    name: keeps ? 'kept' : 'fresh',
    createPoolWorker: (options: PoolOptions): PoolWorker => poolWorker(options, keeps),
  };
}

function poolWorker(options: PoolOptions, keeps: boolean): PoolWorker {
  const heard = new EventEmitter();
  const { name } = options.project;
  let child: ChildProcess | undefined;
  let isAsItWas = false;
  const hear = (message: unknown): void => {
    if (isLeft(message)) isAsItWas = message.isAsItWas;
    else heard.emit('message', message);
  };
  const exit = (...words: unknown[]): boolean => heard.emit('exit', ...words);
  return {
    name: keeps ? 'kept' : 'fresh',
    // What a mutant may change must not be kept on a disk either.
    cacheFs: false,
    on: (event, listener) => void heard.on(event, listener),
    off: (event, listener) => void heard.off(event, listener),
    deserialize: (data) => data,
    async start() {
      child = (await taken(name)) ?? begun(options);
      child.on('message', hear).on('exit', exit);
    },
    send(message: WorkerRequest) {
      if (message.type === 'stop')
        heard.emit('message', { type: 'stopped', __vitest_worker_response__: true });
      else child?.send(message);
    },
    async stop() {
      child?.off('message', hear).off('exit', exit);
      if (child && keeps && isAsItWas && child.connected) kept = { child, project: name };
      else if (child) await ended(child);
    },
  };
}

/** The one that is kept, if it is of this project; there is only one at a time. */
async function taken(project: string): Promise<ChildProcess | undefined> {
  const had = kept;
  kept = undefined;
  if (had?.project === project && had.child.connected) return had.child;
  if (had) await ended(had.child);
  return undefined;
}

function begun({ env, execArgv }: PoolOptions): ChildProcess {
  return fork(workerPath, {
    env,
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
