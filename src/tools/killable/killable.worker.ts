import { parentPort, workerData } from 'node:worker_threads';
import type { Item } from '../../run/values.ts';
import type { Job, WorkerMessage } from './job.ts';
import type { ToolContext } from '../tool.ts';

const job: Job = workerData;
// A loop that talks without end would fill the memory of the process that listens.
const mayTell = 4_000_000;
let told = 0;

try {
  const work: unknown = (await import(job.module))[job.export];
  if (typeof work === 'function') {
    send({ kind: 'began' });
    send({ kind: 'done', result: (await work(job.input, context())) ?? null });
  } else fail(`The module of ${job.name} has no function "${job.export}".`);
} catch (error) {
  send(thrown(error));
}

function context(): ToolContext {
  const { idempotencyKey, tenant, run } = job;
  return {
    idempotencyKey,
    tenant,
    run,
    // Never fires: a stop ends the whole thread.
    signal: new AbortController().signal,
    say: (text: string) => tell({ kind: 'said', text }),
    attach: (item: Item) => tell({ kind: 'attached', item }),
  };
}

function tell(message: WorkerMessage): void {
  if (told > mayTell) return;
  told += JSON.stringify(message).length;
  if (told > mayTell) send({ kind: 'said', text: `\n(${job.name} said too much; the rest is left out)\n` });
  else send(message);
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(JSON.stringify(message));
}

function fail(message: string): void {
  send({ kind: 'failed', failure: { code: 'internal', message } });
}

function thrown(error: unknown): WorkerMessage {
  // By name and not by class: loading the class here would cost every worker a library it may not need.
  if (error instanceof Error && error.name === 'RunError' && 'failure' in error) {
    const { failure } = error as Error & Pick<WorkerMessage & { kind: 'failed' }, 'failure'>;
    return { kind: 'failed', failure };
  }
  const { message = String(error), stack = '' } = error instanceof Error ? error : {};
  return { kind: 'threw', message, stack };
}
