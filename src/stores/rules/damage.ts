import { RunError } from '../../run/failure.ts';
import { runOf, showRun, type Desk } from './tables.ts';
import { end, endNeeds, leaveAll } from './journal.ts';
import type { Needs } from './needs.ts';
import type { Receipt, RunRow, RunState, SentCommand } from '../store.ts';

/** A journal was found to be good only up to an entry. Nobody can go on from there, so nobody is given the run again. */
export function damage(desk: Desk, { run, after }: { readonly run: string; readonly after: number }): void {
  const row = runOf(desk, run);
  const damaged = Math.min(row.damaged ?? after, after);
  if (row.damaged !== damaged) showRun(desk, { ...row, damaged });
  // One whose own row cannot be believed may still stand in a line, with everyone behind it.
  if (row.state === 'ended') leaveAll(desk, run);
  else if (row.damaged !== damaged && !isAttended(desk, row)) park(desk, { ...row, damaged });
}

export function damageNeeds({ run }: { readonly run: string }): Needs {
  return endNeeds(run);
}

/** Out of the hands of its worker; where somebody has asked it to stop, for good. */
export function park(desk: Desk, row: RunRow): RunState {
  if (desk.tables.pending(row.run).some(({ command }) => command.type === 'stop'))
    return stopDamaged(desk, row);
  desk.tables.changeRun({ ...row, state: 'waiting', worker: null, leaseUntil: 0, wakeAt: null });
  leaveAll(desk, row.run);
  return 'waiting';
}

/** A stop of a damaged run is kept with the run: its journal takes no more entries that anybody could read. */
export function sendToDamaged(desk: Desk, row: RunRow, sent: SentCommand): Receipt {
  if (sent.command.type !== 'stop') {
    const message = `Run ${row.run} is damaged after entry ${row.damaged ?? 0}: it can be stopped, exported and erased, and nothing else.`;
    throw new RunError('rejected', message);
  }
  desk.tables.addCommand(sent);
  stopDamaged(desk, row);
  return { id: sent.id, used: row.head, fresh: true, command: sent.command };
}

/** Whether a worker still has it: what it knows of the run is good, and it records what it does. */
export function isAttended({ now }: Desk, { state, leaseUntil }: RunRow): boolean {
  return state === 'running' && leaseUntil > now;
}

function stopDamaged(desk: Desk, row: RunRow): RunState {
  end(desk, { ...row, status: 'stopped', approvals: 0 });
  return 'ended';
}
