import type { BlobRef, Json } from '../../run/values.ts';
import type { SentCommand } from '../../stores/store.ts';
import { entryFor } from './control.ts';
import type { Execution } from '../execution.ts';
import { editedFingerprint } from '../question/fingerprint.ts';
import { isLarge, keepLarge } from '../record/large.ts';
import { misfitOfDecision } from '../question/misfit-of-decision.ts';

/** What was sent to a run, as it becomes entries and has its effect. */
export class Commands {
  readonly #execution: Execution;
  readonly #applied = new Set<string>();
  #resumed = Promise.withResolvers<void>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** Resolves when the run is resumed the next time. */
  get resumed(): Promise<void> {
    return this.#resumed.promise;
  }

  /** To be called alone. */
  async apply(): Promise<void> {
    const execution = this.#execution;
    if (!execution.isLive) return;
    const { mailbox } = execution.world.store;
    for (const sent of await execution.insist(() => mailbox.pending(execution.run))) {
      if (this.#applied.has(sent.id)) continue;
      const edited = await keptEdit(execution, sent);
      if (!execution.isLive) return;
      this.#applied.add(sent.id);
      this.#record(sent, edited);
    }
  }

  #record(sent: SentCommand, edited: BlobRef | Json | undefined): void {
    const execution = this.#execution;
    const event = entryFor(sent, execution.tree, {
      edited,
      misfit: (approval, decision) => misfitOfDecision(execution, approval, decision),
      fingerprint: (approval, bytes) => editedFingerprint(execution, approval, bytes),
    });
    execution.writer.emit(event, { command: sent.id });
    if (event.type === 'stop.requested') void execution.stop();
    if (event.type === 'approval.decided') execution.questions.settle(event.approval);
    if (event.type === 'approval.lapsed') execution.line.hear();
    if (event.type === 'run.resumed') {
      this.#resumed.resolve();
      this.#resumed = Promise.withResolvers();
    }
    execution.parking.consider();
  }
}

/** What a person made of something, as an entry carries it. */
async function keptEdit(execution: Execution, { command }: SentCommand): Promise<BlobRef | Json | undefined> {
  if (command.type !== 'decide' || command.arguments === undefined) return undefined;
  return isLarge(command.arguments) ? keepLarge(execution, command.arguments) : command.arguments;
}
