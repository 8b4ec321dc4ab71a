// Runs that a demo cannot bring by itself, for its pictures: one that failed, one whose app is gone, one that the disk has damaged.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { vitrineClient } from '../src/client/client.ts';
import type { Scope } from '../src/engine/scope.ts';
import { RunError } from '../src/run/failure.ts';
import { serve } from '../src/server/serve.ts';

const asked = {
  forecast: 'What will the weather at LINK-SYD-MEL-FIBRE-01 be tonight?',
  handover: 'Hand the night shift over to Sydney',
  inventory: 'Count the spare optics in Perth',
};

/** Leaves these runs in a data folder. What they are is what became of them: nothing is written by hand but the damage. */
export async function leaveEarlierRuns(data: string): Promise<void> {
  const apps = {
    forecast: appOf('forecast', async (scope) => {
      await scope.step({ key: 'place', title: 'Find the place' }, async (step) =>
        step.say('37.8° S, 145.0° E'),
      );
      await scope.step({ key: 'weather', title: 'Ask the weather service' }, async () => {
        throw new RunError('unavailable', 'The weather service answered 503 three times. Try again later.');
      });
      return '';
    }),
    handover: appOf('handover', waiting),
    inventory: appOf('inventory', waiting),
  };
  const server = await serve({ data, port: 0, config: { apps, server: { log: 'silent' } } });
  const client = vitrineClient({ url: server.url });
  const begun: Record<string, string> = {};
  for (const [app, text] of Object.entries(asked)) {
    const { run } = await client.start({ app, text, conversation: app });
    begun[app] = run;
    for await (const { status } of client.follow(run)) if (status !== 'running') break;
  }
  await server.close();
  damage(data, begun['inventory'] ?? '');
}

function appOf(name: string, run: (scope: Scope) => Promise<string>) {
  return { flow: { name, version: '1', run } };
}

async function waiting(scope: Scope): Promise<string> {
  await scope.step({ key: 'look', title: 'Look at what is open' }, async (step) =>
    step.say('Three tickets are open.'),
  );
  await scope.ask({ key: 'go', title: 'Go on?' });
  return 'Done.';
}

/** One letter of the last that a run recorded is another one on the disk. */
function damage(data: string, run: string): void {
  const database = new DatabaseSync(join(data, 'vitrine.db'));
  database
    .prepare(
      `UPDATE chunk SET frames = replace(frames, '"type"', '"tyqe"')
        WHERE run = (SELECT number FROM run WHERE run = ?1)
          AND last = (SELECT max(last) FROM chunk WHERE run = (SELECT number FROM run WHERE run = ?1))`,
    )
    .run(run);
  database.close();
}
