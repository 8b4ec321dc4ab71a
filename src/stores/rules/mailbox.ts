import { RunError } from '../../run/failure.ts';
import { isAttended, sendToDamaged } from './damage.ts';
import { makeReady, runOf, type Desk } from './tables.ts';
import { endNeeds } from './journal.ts';
import type { Needs } from './needs.ts';
import type { Receipt, SentCommand } from '../store.ts';

export function send(desk: Desk, sent: SentCommand): Receipt {
  const row = runOf(desk, sent.run);
  const earlier = desk.tables.command(sent.run, sent.id);
  if (earlier) return { ...earlier, fresh: false };
  if (row.state === 'ended') {
    const found =
      row.damaged === null ? '' : ` It is damaged after entry ${row.damaged}: what is good can be exported.`;
    const message = `Run ${sent.run} has ended (${row.status}): ${tooLate[sent.command.type]}.${found}`;
    throw new RunError('rejected', message);
  }
  if (row.damaged !== null && !isAttended(desk, row)) return sendToDamaged(desk, row, sent);
  desk.tables.addCommand(sent);
  if (row.state === 'waiting') makeReady(desk, row);
  else if (row.state === 'running') desk.hints.push({ type: 'command', run: sent.run });
  return { id: sent.id, used: null, fresh: true, command: sent.command };
}

/** A stop ends a damaged run at once. */
export function sendNeeds({ run, id, command }: SentCommand): Needs {
  return { runs: [run], ...(command.type === 'stop' ? endNeeds(run) : {}), commands: [{ run, id }] };
}

/** What cannot be done to a run that has ended. */
const tooLate: Readonly<Record<SentCommand['command']['type'], string>> = {
  pause: 'it cannot be paused any more',
  resume: 'it cannot be resumed any more',
  stop: 'there is nothing left to stop',
  message: 'it takes no message any more',
  decide: 'nothing can be decided there any more',
  lapse: 'its questions have lapsed already',
  tell: 'nothing can be told there any more',
};

export function pending(desk: Desk, run: string): readonly SentCommand[] {
  runOf(desk, run);
  return desk.tables.pending(run);
}

export function pendingNeeds(run: string): Needs {
  return { runs: [run], pending: [run] };
}
