import type { RunEvent } from '../../run/events.ts';
import type { Home } from '../../server/folder/home.ts';
import { RunError } from '../../run/failure.ts';
import type { Command } from '../../run/commands.ts';
import { visibleLine } from '../terminal/escape.ts';
import { entryAt } from './find.ts';

/** What became of a command. */
export interface Told {
  readonly sentence: string;
  /** Whether the run did what was asked. */
  readonly isDone: boolean;
}

/** Send a command to a run and say what it became there. */
export async function sendTo(home: Home, run: string, command: Command): Promise<Told> {
  const { used } = await home.send(run, command);
  if (used === null) {
    const flow = (await home.dispatch.get(run))?.flow ?? 'its flow';
    throw new RunError(
      'unavailable',
      `What this run can take is known to its flow ${flow} alone, which is not known here: the command waits for a process that has it, as «vitrine resume ${run}».`,
    );
  }
  const entry = await entryAt(home, run, used);
  return { sentence: sentenceOf(run, entry?.event), isDone: entry?.event.type !== 'notice.posted' };
}

function sentenceOf(run: string, event: RunEvent | undefined): string {
  if (event?.type === 'notice.posted') return visibleLine(event.message);
  if (event?.type === 'run.paused') return `Run ${run} is paused; what is under way is finished first.`;
  if (event?.type === 'run.resumed') return `Run ${run} goes on.`;
  if (event?.type === 'stop.requested') return `Run ${run} is stopping.`;
  if (event?.type === 'message.queued') return `Run ${run} has the message.`;
  if (event?.type !== 'approval.decided') return `Run ${run} has recorded it.`;
  const { approval, decision, fingerprint } = event;
  return fingerprint === undefined
    ? `${approval}: ${decision}.`
    : `${approval}: ${decision} (now ${fingerprint}).`;
}
