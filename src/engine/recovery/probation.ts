import { mostCutOffs, onItsOwn } from './cut-offs.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { decline, isYes } from '../leaf/permit.ts';
import { ask } from '../question/put-question.ts';
import type { Step } from '../../run/tree.ts';

/** How long a run that is watched keeps the others that are to be watched from going on. Milliseconds. */
const trial = 15_000;

/**
 * A run may take its worker down with it: each time it is recovered it does so again, and every other run of that worker goes down
 * with it. After two ends without progress a run goes on one at a time, so that the third shows whose doing it was; after the third
 * a person decides.
 */
export class Probation {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when the run may go on; never, if a person stops it. */
  async pass(execution: Execution): Promise<void> {
    const { cutOffs, tree } = execution;
    // Not before it is known that this worker took it: it would have to be counted.
    if (cutOffs.run > 0) await execution.barrier();
    if (!cutOffs.isSuspicious) return;
    const root = tree.steps.get(0);
    if (cutOffs.run >= mostCutOffs && root && !(await mayGoOn(execution, root))) return forever();
    await this.#alone(execution);
    const message = `Workers ended ${cutOffs.run} times while this run was in their hands, and it got no further; it goes on apart from others of the kind.`;
    execution.emit({ type: 'notice.posted', step: 0, code: onItsOwn, message });
    await execution.barrier();
  }

  async #alone(execution: Execution): Promise<void> {
    const before = this.#last;
    const over = Promise.withResolvers<void>();
    this.#last = before.then(() => over.promise);
    await Promise.race([before, execution.done]);
    const { clock } = execution.world;
    const enough = Promise.race([
      execution.steps.moved,
      execution.done,
      clock.sleep(trial, execution.dropped),
    ]);
    void enough.then(() => over.resolve());
    if (!execution.isLive) return forever();
  }
}

async function mayGoOn(execution: Execution, root: Step): Promise<boolean> {
  const { approval } = ask(execution, root, {
    purpose: 'crash',
    bytes: null,
    // Allowed once, it may come to this again.
    place: execution.cutOffs.allowed,
    title: 'Shall this run go on?',
    message: `${mostCutOffs} workers in a row ended while this run was in their hands, and it got no further: it may be what ended them. Approve to let it try once more, reject to stop it.`,
    allowed: ['approve', 'reject', 'defer'],
    priority: 'high',
  });
  const decided = await execution.questions.decision(approval);
  if (isYes(decided)) {
    execution.cutOffs.allow(0);
    return true;
  }
  execution.emit({ type: 'stop.requested', by: decided.by, reason: 'It took its workers down.' });
  void execution.stop();
  return false;
}

/** Whether a leaf may be tried again that workers ended with; closed if a person says no. */
export async function mayTryAgain(execution: Execution, step: Step): Promise<boolean> {
  const { approval } = ask(execution, step, {
    purpose: 'crash',
    bytes: null,
    title: `Shall «${step.title}» be tried again?`,
    message: `${mostCutOffs} workers ended during it: it may be what ended them. Approve to try it once more, reject to go on without it.`,
    allowed: ['approve', 'reject', 'defer'],
    priority: 'high',
  });
  const decided = await execution.questions.decision(approval);
  if (!isYes(decided)) await decline(execution, step, decided);
  return isYes(decided);
}
