import type { Client } from '../../client/client.ts';
import type { Command } from '../../run/commands.ts';
import { RunError } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import type { RunTree } from '../../run/tree.ts';

/** The entry a command became, where the server says so. */
export async function sent(client: Client, run: string, command: Command): Promise<number | null> {
  switch (command.type) {
    case 'pause':
    case 'resume':
    case 'stop':
      return (await client[command.type](run, command.reason)).seq;
    case 'message':
      return (await client.message(run, command.text)).seq;
    case 'decide': {
      const { type: _, by: __, approval, ...decision } = command;
      await client.decide(approval, { ...present(decision), decision: decision.decision });
      return null;
    }
    case 'lapse':
    case 'tell':
      throw new RunError('malformed', `Only another run may send «${command.type}».`);
  }
}

/** What was decided is answered with the approval; a terminal wants the entry it became. */
export function decidedIn({ approvals, seq }: RunTree, command: Command): number | null {
  if (command.type !== 'decide') return null;
  const approval = approvals.get(command.approval);
  return approval?.decided?.seq ?? (approval?.deferred === undefined ? null : seq);
}
