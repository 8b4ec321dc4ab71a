// What the stages of an application cost beside its turns, and how soon the first of them is seen.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Flow } from '../../src/engine/scope.ts';
import { serve } from '../../src/server/serve.ts';
import { Engine } from '../../test/engine.ts';
import { castPipeline, desksConfig, planOf, planStep } from '../../test/pipeline.ts';
import { ended, startRun } from '../../test/world.ts';

const rounds = 7;
const perRound = 100;
const plans = [planOf('single', [planStep(1, 'graph')])];

export async function runRows(): Promise<void> {
  await besideTurns();
  await firstSeen();
}

/** The same turns and the same call, with the same words, and nothing around them. */
async function besideTurns(): Promise<void> {
  const cast = castPipeline({ plans });
  await cast.ask('Which paths?');
  const turns = ['enhancer', 'planner', 'graph'].map((agent) => {
    const [{ messages = [] } = {}] = cast.sent.get(agent) ?? [];
    return { agent, messages };
  });
  const bare: Flow = {
    name: 'bare',
    version: '1',
    async run(scope) {
      let said = '';
      for (const { agent, messages } of turns) {
        ({ text: said } = await scope.turn(agent, { key: agent, messages }));
        if (agent === 'enhancer')
          await scope.call('find', { query: 'Clearly: Which paths?' }, { key: 'find' });
      }
      return said;
    },
  };
  const world = { ...cast.world, catalog: { ...cast.world.catalog, flows: [cast.flow, bare] } };
  const engine = new Engine(world, 'bench');
  const cost = async (flow: Flow): Promise<number> => {
    const before = process.cpuUsage();
    for (let i = 0; i < perRound; i += 1) {
      const { run } = await startRun(engine, flow, { input: { text: 'Which paths?' } });
      await ended(world.store, run);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / perRound;
  };
  const costs = { bare: [] as number[], pipeline: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const [one, other] = [await cost(bare), await cost(cast.flow)];
    if (round === 0) continue;
    costs.bare.push(one);
    costs.pipeline.push(other);
  }
  const [one, other] = [median(costs.bare), median(costs.pipeline)];
  console.log(`Runs: CPU of three turns and a call, memory store, median of ${rounds} rounds of ${perRound}`);
  console.log(
    `  bare ${one.toFixed(0)} µs, an application ${other.toFixed(0)} µs, ${(other / one).toFixed(2)} (at most 1.5)`,
  );
}

/** From the request to the first stage on a surface, and to the first entry of a run of the same application. */
async function firstSeen(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'vitrine-bench-'));
  const quotas = { requests: 100_000, burst: 100_000, runs: 10_000 };
  const config = { ...desksConfig({ desk: { plans } }), server: { quotas } };
  const server = await serve({ data, port: 0, config });
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const native = async (): Promise<Response> => {
    const started = await post('/api/runs', { app: 'desk', input: { text: 'Which paths?' } });
    const { run } = (await started.json()) as { run: string };
    return fetch(`${server.url}/api/runs/${run}/events`);
  };
  const staged = () => post('/api/applications/desk/chat/stream', { message: 'Which paths?' });
  const times = { native: [] as number[], staged: [] as number[] };
  for (let round = 0; round < perRound; round += 1) {
    const [one, other] = [await until(native, 'data: '), await until(staged, '"id":"step_guardrails"')];
    if (round < 10) continue;
    times.native.push(one);
    times.staged.push(other);
  }
  await server.close();
  rmSync(data, { recursive: true, force: true });
  const [one, other] = [median(times.native), median(times.staged)];
  console.log(`First seen: on disk, over loopback, median of ${times.native.length}`);
  console.log(
    `  a native frame ${one.toFixed(1)} ms, a stage ${other.toFixed(1)} ms, ${(other / one).toFixed(2)} (at most 1.3)`,
  );
}

/** Milliseconds until a stream says something; it is read to its end, so that no run works while the next is measured. */
async function until(ask: () => Promise<Response>, said: string): Promise<number> {
  const begun = performance.now();
  const { body } = await ask();
  const decoder = new TextDecoder();
  let [text, took] = ['', 0];
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (took === 0 && text.includes(said)) took = performance.now() - begun;
  }
  return took;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
