import { expect, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import { coordinate } from '../../src/flows/coordinate/coordinate.ts';
import type { CoordinateSettings } from '../../src/flows/coordinate/settings.ts';
import type { AgentEvent, Gateway } from '../../src/gateways/gateway.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import type { FlatStep, FlatTree } from '../../src/client/client.ts';
import { appWith, serving, textAt } from '../serving.ts';

const levels = 5;
const pieces = 40;

/** Coordinators below coordinators; two agents work at once at the bottom of each. */
function teamAt(level: number): CoordinateSettings {
  const next = { name: `team${level + 1}`, title: `Team ${level + 1}`, description: 'a team' };
  const workers = [0, 1].map((i) => ({ name: `worker${level}${i}`, description: 'works' }));
  const agents = level < levels ? [...workers, { ...next, team: teamAt(level + 1) }] : workers;
  return { router: `router${level}`, writer: 'writer', fallback: `worker${level}0`, agents };
}

function planOf(level: number): string {
  const names = teamAt(level).agents.map(({ name }) => name);
  const tasks = names.map((agent) => ({ agent, instructions: null, reasoning: null, dependsOn: null }));
  return JSON.stringify({ strategy: 'parallel', reasoning: null, tasks });
}

/** Works in stages within stages and says a word of its own in each. */
function workerOf(name: string, told: string[]): Gateway {
  const words = Array.from({ length: pieces }, (_, i) => `«${name}.${i}»`);
  return {
    async *takeTurn(): AsyncGenerator<readonly AgentEvent[]> {
      yield [{ type: 'stage.opened', stage: 'outer', title: 'Outer' }];
      yield [{ type: 'stage.opened', stage: 'inner', title: 'Inner', parent: 'outer' }];
      for (const [i, text] of words.entries()) {
        await Promise.resolve();
        told.push(text);
        yield [{ type: 'stage.appended', stage: i % 2 === 0 ? 'outer' : 'inner', text }];
      }
      yield [
        { type: 'stage.closed', stage: 'inner', outcome: 'completed' },
        { type: 'stage.closed', stage: 'outer', outcome: 'completed' },
        { type: 'turn.finished', reason: 'stop' },
      ];
    },
  };
}

function cast(told: string[]) {
  const each = Array.from({ length: levels }, (_, i) => i + 1);
  const saying = (text: string): Gateway => scriptedGateway(() => [{ type: 'say', text }]);
  return {
    writer: { gateway: saying('done'), effect: 'pure' as const },
    ...Object.fromEntries(each.map((level) => [`router${level}`, { gateway: saying(planOf(level)) }])),
    ...Object.fromEntries(
      each.flatMap((level) =>
        [0, 1].map((i) => [`worker${level}${i}`, { gateway: workerOf(`worker${level}${i}`, told) }]),
      ),
    ),
  };
}

function pathOf(tree: FlatTree, step: FlatStep): string[] {
  const parent = tree.steps.find(({ id }) => id === step.parent);
  return [...(parent ? pathOf(tree, parent) : []), step.title];
}

test(`[A G H] every word of agents ${levels} coordinators deep reaches a viewer who asked for nothing special`, async () => {
  const told: string[] = [];
  const at = await serving({
    config: { agents: cast(told), apps: { deep: { flow: coordinate(teamAt(1), 'deep') } } },
  });
  const client = vitrineClient({ url: at.url });
  const { run } = await client.start({ app: 'deep', text: 'go' });
  let last: FlatTree | undefined;
  for await (const tree of client.follow(run)) last = tree;
  const steps = [...(last?.steps ?? [])];
  const seen = steps.flatMap((step) => step.text?.match(/«worker\d+\.\d+»/g) ?? []);
  expect(told).toHaveLength(levels * 2 * pieces);
  expect(seen.toSorted()).toEqual(told.toSorted());
  const deepest = steps.find((step) => step.text?.includes(`«worker${levels}1.1»`));
  if (!last || !deepest) throw new Error('the deepest word is in no step');
  const path = pathOf(last, deepest);
  expect(path).toEqual(expect.arrayContaining(['Team 2', 'Team 5', 'Outer', 'Inner']));
  expect(path.slice(-2)).toEqual(['Outer', 'Inner']);
  expect(steps.every(({ status }) => status === 'completed')).toBe(true);
  expect(steps.filter(({ agent }) => agent === `worker${levels}1`)).not.toHaveLength(0);
});

test('[C] [R38] a hundred viewers that leave stop nothing, and a stop ends one run of a conversation and no other', async () => {
  const at = await serving({
    config: {
      apps: { asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'Go on?' })).decision) },
    },
  });
  const begin = async (conversation?: string) =>
    at.ask('/api/runs', {
      json: { app: 'asks', input: { text: 'x' }, ...(conversation ? { conversation } : {}) },
    });
  const first = await begin();
  const [run, conversation] = [textAt(first, 'run'), textAt(first, 'conversation')];
  const other = textAt(await begin(conversation), 'run');
  const viewers = Array.from({ length: 100 }, () => new AbortController());
  await Promise.all(
    viewers.map(async ({ signal }) => (await fetch(`${at.url}/api/runs/${run}/events`, { signal })).body),
  );
  for (const viewer of viewers) viewer.abort();
  expect(textAt(await at.ask(`/api/runs/${run}`), 'status')).toMatch(/^(running|waiting)$/);
  await at.ask(`/api/runs/${other}/stop`, { method: 'POST' });

  const after = await at.ask(`/api/runs/${other}/events`);
  expect(after.text.trimEnd().split('\n\n').at(-1)).toContain('stopped');
  expect(textAt(await at.ask(`/api/runs/${other}`), 'status')).toBe('stopped');
  expect(textAt(await at.ask(`/api/runs/${run}`), 'status')).toMatch(/^(running|waiting)$/);
});
