// What it costs to look at every piece of text before it is recorded. CPU of the whole server per delta: from the model's
// socket through engine and SQLite to a viewer's socket; with the secrets of a configuration and with none, by turns.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Flow } from '../src/engine/scope.ts';
import { serve, type RunningServer } from '../src/server/serve.ts';
import { generatedSecrets } from '../test/secrets.ts';
import type { Round } from './hold-back/peer.ts';

const rounds = 20;
const shape = { streams: 50, deltas: 100, pace: 20 } as const;

export async function holdBackBench(): Promise<void> {
  const peer = fork(new URL('./hold-back/peer.ts', import.meta.url));
  const [port] = (await once(peer, 'message')) as [number];
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-hold-back-'));
  const open = (name: string, count: number): Promise<RunningServer> =>
    serve({ data: join(folder, name), port: 0, config: configOf(`http://127.0.0.1:${port}/v1`, count) });
  const without = await open('none', 0);
  console.log(
    `CPU per delta, ${shape.streams} streams of ${shape.deltas} deltas a round, ${rounds} rounds by turns`,
  );
  for (const count of [10, 1_000]) {
    const held = await open(`${count}`, count);
    for (const each of [without, held]) await perDelta(peer, each);
    const pairs: (readonly [number, number])[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Whoever comes first in a round pays for what the other left behind.
      const order = round % 2 === 0 ? [without, held] : [held, without];
      const costs = new Map<RunningServer, number>();
      for (const each of order) costs.set(each, await perDelta(peer, each));
      pairs.push([costs.get(without) ?? 0, costs.get(held) ?? 0]);
    }
    const bare = median(pairs.map(([one]) => one));
    const ratio = median(pairs.map(([one, other]) => other / one));
    console.log(`  ${count} secrets: ${bare.toFixed(1)} µs without, ${ratio.toFixed(3)} of that with`);
    await held.close();
  }
  await without.close();
  peer.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** CPU microseconds of all threads of this process. */
async function perDelta(peer: ChildProcess, { url }: RunningServer): Promise<number> {
  const before = process.cpuUsage();
  peer.send({ url, ...shape } satisfies Round);
  await once(peer, 'message');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (shape.streams * shape.deltas);
}

function configOf(baseUrl: string, count: number) {
  const names = generatedSecrets(count).map((secret, i) => {
    process.env[`HOLD_BACK_${i}`] = secret;
    return `HOLD_BACK_${i}`;
  });
  const keyed = Object.fromEntries(names.map((env) => [env, { baseUrl, model: 'm', key: { env } }]));
  return {
    models: { m: { baseUrl, model: 'm' }, ...keyed },
    agents: { talker: { model: 'm' } },
    apps: { talk: { flow: talk } },
    limits: { tokens: 10_000_000 },
  };
}

const talk: Flow = {
  name: 'talk',
  version: '1',
  run: async (scope) => (await scope.turn('talker', { messages: [{ role: 'user', text: 'go' }] })).text,
};

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
