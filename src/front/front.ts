import type { Begun } from '../engine/recovery/beginning.ts';
import type { Workplace } from '../engine/world.ts';
import { Command } from '../run/commands.ts';
import { parsed } from '../run/parsed.ts';
import type { Receipt, RunRow } from '../stores/store.ts';
import { commandRun, type CommandSent, type Outcome } from './command-run.ts';
import { createRun, type RunRequest } from './create-run.ts';
import { eraseConversation, type Erased } from './erase.ts';
import { forkRun, type Fork, type Forked } from './fork-run.ts';

/** What a front asks of the worker that is in the same process, where there is one. */
export interface WorkerBeside {
  readonly name: string;
  /** Execute a run that was created in this worker's hand. */
  begin(run: string, begun: Begun): void;
  /** Take a run up, and again whenever it wants a worker; false where its flow is not known here. */
  takeUp(row: RunRow): Promise<boolean>;
  /** Record what was asked of a run whose flow is not known here. */
  record(row: RunRow): Promise<void>;
  /** Resolves when this worker does not have the run in hand. */
  released(run: string): Promise<void>;
}

/** What people ask: runs are started, told something and erased, whoever works on them. */
export interface Front {
  /** Start a run, for anyone to take; a worker beside takes it in the same commit. It is durable when this resolves. */
  start(
    request: RunRequest,
  ): Promise<{ readonly run: string; readonly conversation: string; readonly created: boolean }>;
  /** Start a run that begins with what is known already. */
  fork(fork: Fork): Promise<Forked>;
  /** Put a command into the mailbox of a run. The same id again gets the same receipt. */
  send(run: string, command: Command, id?: string): Promise<Receipt>;
  /** The same, and wait for the entry it becomes. */
  command(row: RunRow, sent: CommandSent): Promise<Outcome>;
  /** Stop the runs of a conversation and take every trace of them away; how many there were. */
  erase(erased: Erased): Promise<number>;
  /** Have a run worked on; false where the worker beside does not know its flow. */
  takeUp(row: RunRow): Promise<boolean>;
}

export function frontOf(world: Workplace, { worker }: { readonly worker?: WorkerBeside } = {}): Front {
  const { store } = world;
  const send: Front['send'] = async (run, command, id = world.newId('command')) => {
    // A command waits in the store before it becomes an entry.
    const cleaned = world.secrets.cleanAll(parsed(Command, command, 'The command'));
    return store.mailbox.send({ id, run, command: cleaned });
  };
  const command: Front['command'] = (row, sent) => commandRun({ world, worker, send }, row, sent);
  return {
    async start(request) {
      const { run, conversation, begun } = await createRun(world, request, worker?.name);
      if (begun) worker?.begin(run, begun);
      return { run, conversation, created: begun !== undefined };
    },
    async fork(wanted) {
      const forked = await forkRun(world, wanted);
      const row = await store.dispatch.get(forked.run);
      if (row) await worker?.takeUp(row);
      return forked;
    },
    send,
    command,
    erase: (erased) => eraseConversation({ store, command, worker }, erased),
    takeUp: async (row) => (worker ? worker.takeUp(row) : true),
  };
}
