import type { Operation, Reply } from '../batch.ts';
import type { Mailbox } from '../store.ts';

/** Runs that were created here and have been sent nothing: nobody else writes the folder, so their mailboxes are empty. */
export interface UnsentRuns {
  committed(operations: readonly Operation[], reply: Reply): void;
  /** The same mailboxes; of these runs the thread is not asked. */
  over(mailbox: Mailbox): Mailbox;
  forget(): void;
}

export function unsentRuns(): UnsentRuns {
  const runs = new Set<string>();
  return {
    committed: (operations, { results }) =>
      operations.forEach(({ name, argument }, index) => {
        if (name === 'create' && isCreated(results[index])) runs.add(argument.run);
        else if (name === 'append' && argument.ends) runs.delete(argument.fence.run);
        else if (name === 'erase') runs.delete(argument);
      }),
    over: (mailbox) => ({
      send(sent) {
        // Whatever becomes of it: an answer that gets lost may have been a yes.
        runs.delete(sent.run);
        return mailbox.send(sent);
      },
      pending: async (run) => (runs.has(run) ? [] : mailbox.pending(run)),
    }),
    forget: () => runs.clear(),
  };
}

/** Whether this is what a `create` gave that made a run. */
export function isCreated(result: unknown): boolean {
  return (result as { readonly created: boolean } | undefined)?.created === true;
}
