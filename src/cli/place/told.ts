import type { RunEvent } from '../../run/events.ts';
import type { Command } from '../../run/commands.ts';
import { visibleLine } from '../terminal/escape.ts';
import type { ServerAddress } from '../../client/ask.ts';
import { entryAt, summaryOf, treeOf } from './find.ts';
import type { TerminalHome } from './terminal-home.ts';

/** What became of a command. */
export interface Told {
  readonly sentence: string;
  /** Whether the run did what was asked. */
  readonly isDone: boolean;
}

/** Send a command to a run and say what it became there. */
export async function sendTo(home: TerminalHome, run: string, command: Command): Promise<Told> {
  const { server } = home;
  const used = (await home.send(run, command)) ?? (await decidedIn(server, run, command));
  if (used === null) {
    const { flow } = await summaryOf(server, run);
    return {
      sentence: `Run ${run} is told when it goes on, by whoever has its flow ${flow}.`,
      isDone: true,
    };
  }
  const entry = await entryAt(server, run, used);
  return { sentence: sentenceOf(run, entry?.event), isDone: entry?.event.type !== 'notice.posted' };
}

/** What was decided is answered with the approval; a terminal wants the entry it became. */
async function decidedIn(server: ServerAddress, run: string, command: Command): Promise<number | null> {
  if (command.type !== 'decide') return null;
  const { approvals, seq } = await treeOf(server, run);
  const approval = approvals.get(command.approval);
  return approval?.decided?.seq ?? (approval?.deferred === undefined ? null : seq);
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
