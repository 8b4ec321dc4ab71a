// What the engine costs for each streamed event, beside reading the same stream without it.
import type { Agent } from '../src/catalog/agent.ts';
import { Engine } from '../test/engine.ts';
import type { Flow } from '../src/engine/scope.ts';
import type { AgentEvent } from '../src/gateways/gateway.ts';
import { Secrets } from '../src/guards/secrets.ts';
import { approval, budget } from '../src/policies/standard.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { foldBench } from './fold.ts';
import { newId, sha256, systemClock } from '../src/loop/machine.ts';

const deltas = 100_000;
const rounds = 5;
const starts = 2_000;

export async function engineBench(): Promise<void> {
  const bare: number[] = [];
  const engine: number[] = [];
  const start: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await perEvent(readBare));
    engine.push(await perEvent(() => runOnce(talk).then(() => deltas)));
    start.push(await perEvent(manyRuns));
  }
  const rows = [
    ['reading the stream alone', median(bare), 1],
    ['engine and memory store, per streamed event', median(engine), median(engine) / median(bare)],
    ['one whole run with two steps', median(start), median(start) / median(bare)],
  ] as const;
  console.log(`\nengine: CPU per event, ${deltas} events, median of ${rounds}`);
  for (const [what, cost, ratio] of rows) {
    console.log(`  ${what.padEnd(46)} ${cost.toFixed(2).padStart(9)} µs  ${ratio.toFixed(1).padStart(7)} x`);
  }
  await foldBench();
}

/** CPU microseconds for each of the events a piece of work says it handled. */
async function perEvent(work: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const count = await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

async function* chunks(): AsyncGenerator<readonly AgentEvent[]> {
  for (let i = 0; i < deltas; i += 1) {
    yield [{ type: 'text.appended', text: 'token ' }];
    // As a socket would: a few chunks at a time, and then others get their turn.
    if (i % 64 === 0) await systemClock.settle();
  }
}

async function readBare(): Promise<number> {
  let count = 0;
  for await (const events of chunks()) count += events.length;
  return count;
}

const talker: Agent = {
  name: 'talker',
  description: '',
  effect: 'pure',
  gateway: { takeTurn: () => chunks() },
};

const talk: Flow = {
  name: 'talk',
  version: '1',
  run: async (scope) => (await scope.turn('talker', { messages: [] })).finish,
};

const small: Flow = {
  name: 'small',
  version: '1',
  run: (scope) => scope.step({ key: 'a' }, (a) => a.step({ key: 'b' }, async () => 'done')),
};

async function manyRuns(): Promise<number> {
  for (let i = 0; i < starts; i += 1) await runOnce(small);
  return starts;
}

async function runOnce(flow: Flow): Promise<void> {
  const log = { error: ({ cause }: { readonly cause: unknown }) => console.error(cause) };
  const catalog = { flows: [talk, small], agents: [talker], tools: [] };
  const store = memoryStore({ now: () => systemClock.now() });
  const engine = new Engine(
    {
      store,
      clock: systemClock,
      catalog,
      policies: [budget, approval],
      log,
      newId,
      hash: sha256,
      secrets: new Secrets(),
    },
    'bench',
  );
  await engine.start({ app: 'bench', flow, input: { text: 'go' }, limits: { tokens: 10_000_000 } });
  await engine.idle();
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
