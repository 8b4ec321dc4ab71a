import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { quiet } from './thread.ts';
import type { Job, Started, WorkerEars } from './job.ts';

const worker = new URL(`./process.worker${extname(import.meta.url)}`, import.meta.url);

/** Runs a job in a process group of its own, so that killing it also ends what it has started. */
export function startProcess(job: Job, env: NodeJS.Dict<string>, ears: WorkerEars): Started {
  const child = fork(worker, {
    detached: true,
    env,
    execArgv: [...quiet],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = (): void =>
    ears.ended({ code: 'unavailable', message: `The process of ${job.name} ended without a result.` });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => {
      ended();
      resolve();
    });
  });
  child.on('message', (text) => typeof text === 'string' && ears.message(text));
  // `exit` may overtake the last messages; the channel closes after them.
  child.once('disconnect', ended);
  child.send({ ...job }, (error) => error && ended());
  return {
    async kill() {
      killGroup(child);
      await gone;
    },
  };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // No such group: the child is not its leader yet, or this system has no groups.
    child.kill('SIGKILL');
  }
}
