import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Job, Started, WorkerEars, WorkerMessage } from './job.ts';

// Publishing rewrites `.ts` in imports only, so the worker's extension follows that of this file.
const worker = new URL(`./killable.worker${extname(import.meta.url)}`, import.meta.url);

// Flags of this process are not handed on: they may name what it runs (`-e`, `--input-type`), and a child that got them
// would start the program again. Node 22 warns that running TypeScript is experimental.
export const quiet: readonly string[] = ['--disable-warning=ExperimentalWarning'];

/** Runs a job in a thread of its own. `terminate` reaches it in the middle of a `while (true)`. */
export function startThread(job: Job, env: NodeJS.Dict<string>, ears: WorkerEars): Started {
  const thread = new Worker(worker, {
    workerData: job,
    env,
    execArgv: [...quiet],
    resourceLimits: { maxOldGenerationSizeMb: job.memory, maxYoungGenerationSizeMb: 16 },
  });
  const gone = new Promise<void>((resolve) => {
    thread.once('exit', (code) => {
      ears.ended({ code: 'unavailable', message: `${job.name} ended without a result (exit code ${code}).` });
      resolve();
    });
  });
  thread.on('message', (text: string) => ears.message(text));
  thread.on('error', (error) => {
    if (isOutOfMemory(error))
      ears.ended({
        code: 'too-large',
        message: `${job.name} needed more than its ${job.memory} MB of memory.`,
      });
    else ears.message(JSON.stringify(threw(error)));
  });
  return {
    async kill() {
      await thread.terminate();
      await gone;
    },
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function threw(error: unknown): WorkerMessage {
  const { message = String(error), stack = '' } = error instanceof Error ? error : {};
  return { kind: 'threw', message, stack };
}
