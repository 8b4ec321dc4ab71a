import { present } from '../../run/present.ts';
import { RunError } from '../../run/failure.ts';
import type { ControlClient } from './control-client.ts';
import type { Home, HomeReader } from './home.ts';

/** A folder that another process holds: read here, asked for there. */
export function visitHome(reader: HomeReader, client: ControlClient): Home {
  return {
    ...reader,
    isHolder: false,
    isGone: () => client.isGone(),
    notices: [],
    inHand: [],
    async start(request) {
      const { app, flow, text, conversation, by, key } = request;
      const reply = await client.ask({
        type: 'start',
        app,
        flow,
        text,
        by,
        key,
        ...(conversation === undefined ? {} : { conversation }),
      });
      if ('started' in reply) return reply.started;
      throw unexpected(reply);
    },
    async send(run, command) {
      const reply = await client.ask({ type: 'send', run, command });
      if ('receipt' in reply) return reply.receipt;
      throw unexpected(reply);
    },
    async takeUp(run) {
      const reply = await client.ask({ type: 'takeUp', run });
      if ('taken' in reply) return reply.taken;
      throw unexpected(reply);
    },
    async erase(conversation, tenant) {
      const reply = await client.ask({ type: 'erase', conversation, ...present({ tenant }) });
      if ('erased' in reply) return reply.erased;
      throw unexpected(reply);
    },
    async standing(run) {
      const row = await reader.dispatch.get(run);
      if (!row || row.state === 'ended') return { is: 'ended' };
      if (row.state === 'waiting') return { is: 'parked' };
      return client.isGone()
        ? { is: 'left', why: 'The process that worked on it is gone.' }
        : { is: 'working' };
    },
    async close() {
      client.close();
      await reader.close();
    },
  };
}

function unexpected(reply: unknown): RunError {
  const shown = JSON.stringify(reply).slice(0, 200);
  return new RunError('internal', `The process that holds the folder answered something else: ${shown}`);
}
