import { askFor } from '../../client/ask.ts';
import { vitrineClient, type Client, type ServerAddress } from '../../client/client.ts';
import type { Command } from '../../run/commands.ts';
import { RunError } from '../../run/failure.ts';
import { takeUpRun } from '../../wire/native/folder.ts';
import type { Control } from './terminal-home.ts';
import { present } from '../../run/tree.ts';

/** What a terminal asks of runs, through the client, whoever answers. */
export function askedOver(server: ServerAddress): Control {
  const client = vitrineClient(server);
  return {
    async start({ app, text, conversation, key }) {
      const named = present({ app: app || undefined, conversation });
      const begun = await client.start({ text, idempotencyKey: key, ...named });
      return { run: begun.run, conversation: begun.conversation };
    },
    send: (run, command) => sent(client, run, command),
    takeUp: async (run) => (await askFor(server, takeUpRun, { of: { run } })).taken,
  };
}

async function sent(client: Client, run: string, command: Command): Promise<number | null> {
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
