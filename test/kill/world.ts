// What the killed process and the one that takes over have in common: a run of some two hundred entries with three
// agents and ten tools of all three effects, whose effects go to the ledger process.
import { connect } from 'node:net';
import type { Agent } from '../../src/catalog/agent.ts';
import type { Flow, Scope } from '../../src/engine/scope.ts';
import type { Catalog } from '../../src/engine/world.ts';
import { converse } from '../../src/flows/converse/converse.ts';
import type { Move, Script } from '../../src/gateways/scripted/script.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { RunError } from '../../src/run/failure.ts';
import type { Effect } from '../../src/run/values.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { flowOf, toolOf } from '../world.ts';
import type { Line } from './ledger.ts';
import { deskScripts, piped } from './piped.ts';

export interface Ledger {
  readonly socket: string;
  readonly file: string;
}

const effects: readonly Effect[] = [
  'pure',
  'idempotent',
  'once',
  'pure',
  'idempotent',
  'once',
  'pure',
  'idempotent',
  'once',
  'once',
];

export interface Hooks {
  /** After a tool's effect, before its outcome can be recorded. */
  afterEffect(tool: string): Promise<void>;
}

export function killCatalog(ledger: Ledger, hooks: Hooks): Catalog {
  const tools = effects.map((effect, i) => ledgerTool(ledger, { name: `tool${i}`, effect }, hooks));
  return {
    flows: Object.values(killFlows),
    agents: [
      ...['planner', 'clerk', 'writer'].map((name) => ledgerAgent(ledger, name, monologue(name))),
      ledgerAgent(ledger, 'model', talk),
      ...Object.entries(deskScripts).map(([name, script]) => ledgerAgent(ledger, name, script)),
    ],
    tools,
  };
}

function ledgerTool(ledger: Ledger, { name, effect }: { name: string; effect: Effect }, hooks: Hooks): Tool {
  const approval = name === 'tool9' ? 'always' : 'never';
  return toolOf(
    name,
    async (_, context) => {
      const { idempotencyKey } = context;
      context.say(`${name} begins`);
      await tellLedger(ledger, { effect, key: idempotencyKey, what: name });
      await hooks.afterEffect(name);
      return { done: name };
    },
    { effect, approval },
  );
}

/** A model whose requests are counted where a crash cannot forget them. */
function ledgerAgent(ledger: Ledger, name: string, script: Script): Agent {
  const inner = scriptedGateway(script);
  return {
    name,
    description: name,
    effect: 'pure',
    gateway: {
      async *takeTurn(turn, signal) {
        await tellLedger(ledger, { effect: 'model', key: turn.idempotencyKey, what: name });
        yield* inner.takeTurn(turn, signal);
      },
    },
  };
}

function monologue(name: string): Script {
  const pieces = Array.from({ length: 28 }, (_, i): Move => ({ type: 'say', text: `${name} ${i}. ` }));
  return () => [
    { type: 'stage.opened', stage: '0', title: `${name} thinks` },
    { type: 'stage.appended', stage: '0', text: 'hm' },
    { type: 'stage.closed', stage: '0', outcome: 'completed' },
    ...pieces,
    { type: 'usage.reported', usage: { input: 3, output: 28 } },
  ];
}

const branches: Flow = flowOf(async (scope, text) => {
  const plan = await scope.turn('planner', { messages: [{ role: 'user', text }] });
  scope.say('The plan stands.');
  const found = await scope.parallel({
    read: (branch) => work(branch, 'clerk', ['tool0', 'tool1', 'tool2']),
    write: (branch) =>
      branch.step({ key: 'deep', title: 'Deep' }, (deep) =>
        work(deep, 'writer', ['tool3', 'tool4', 'tool5']),
      ),
    check: (branch) => work(branch, 'clerk', ['tool6', 'tool7', 'tool8']),
  });
  const last = await scope.call('tool9', { final: true });
  const answer = await scope.turn('writer', { messages: [{ role: 'user', text: 'sum up' }], answers: true });
  return [plan.text.length, JSON.stringify(found), last.outcome, answer.text].join(' | ');
}, 'branches');

/** A model that asks for all ten tools, one after the other, and then answers. */
const conversation: Flow = converse({
  agent: 'model',
  system: 'Use every tool once.',
  tools: effects.map((_, i) => ({ name: `tool${i}`, description: `tool ${i}`, schema: { type: 'object' } })),
  rules: { maxCycles: 12 },
});

const talk: Script = ({ messages }) => {
  const results = messages.filter(({ text }) => text.includes('TOOL RESULT: ')).length;
  const words = Array.from({ length: 10 }, (_, i): Move => ({ type: 'say', text: `word ${i}. ` }));
  const usage: Move = { type: 'usage.reported', usage: { input: 3, output: 10 } };
  if (results >= effects.length) return [...words, usage];
  return [
    ...words,
    { type: 'call', call: `c${results}`, tool: `tool${results}`, arguments: ['{"n":', `${results}`, '}'] },
    usage,
  ];
};

/** Strands of different length that meet, one that fails, and what depends on it. */
const graph: Flow = flowOf(async (scope, text) => {
  const settled = await scope.graph({
    long: { run: (node) => work(node, 'planner', ['tool0', 'tool1', 'tool2']) },
    short: { run: (node) => callAll(node, ['tool3']) },
    next: { after: ['short'], run: (node) => callAll(node, ['tool4', 'tool5']) },
    meet: { after: ['long', 'next'], run: (node) => callAll(node, ['tool6', 'tool7']) },
    broken: { after: ['short'], run: () => Promise.reject(new RunError('unavailable', 'It is down.')) },
    left: { after: ['broken'], unless: () => 'What it needs is not there.', run: () => Promise.resolve([]) },
    beside: { after: ['broken'], run: (node) => callAll(node, ['tool8']) },
  });
  const last = await scope.call('tool9', { final: true });
  const answer = await scope.turn('writer', { messages: [{ role: 'user', text }], answers: true });
  return [JSON.stringify(settled), last.outcome, answer.text].join(' | ');
}, 'graph');

/** Two branches at a time that wait, have a bounded time, and mean the same call again. */
const waits: Flow = flowOf(async (scope, text) => {
  const part = (agent: string, tools: readonly string[]) => (branch: Scope) =>
    branch.step({ key: 'bounded', within: 600_000 }, async (bounded) => {
      const { until } = await bounded.wait({ title: 'Rest', until: bounded.openedAt + 10 });
      const looked: string[] = [];
      for (let round = 1; round <= 2; round += 1)
        looked.push((await bounded.call('tool0', {}, { key: `look ${round}`, again: true })).outcome);
      return [...(await work(bounded, agent, tools)), ...looked, until > bounded.openedAt];
    });
  const found = await scope.parallel(
    {
      read: part('planner', ['tool1', 'tool2']),
      write: part('clerk', ['tool3', 'tool4', 'tool5']),
      check: part('clerk', ['tool6', 'tool7', 'tool8']),
    },
    {},
    { atOnce: 2 },
  );
  const last = await scope.call('tool9', { final: true });
  const answer = await scope.turn('writer', { messages: [{ role: 'user', text }], answers: true });
  return [JSON.stringify(found), last.outcome, answer.text].join(' | ');
}, 'waits');

/** What is killed: flows of its own with branches, with a graph and with waits, and one agent with tools. */
export const killFlows = { branches, graph, waits, converse: conversation, piped } as const;

async function work(scope: Scope, agent: string, tools: readonly string[]): Promise<string[]> {
  const { text } = await scope.turn(agent, { messages: [{ role: 'user', text: 'work' }] });
  return [...(await callAll(scope, tools)), text];
}

async function callAll(scope: Scope, tools: readonly string[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const tool of tools) outcomes.push((await scope.call(tool, { n: 1 })).outcome);
  return outcomes;
}

/** Resolves when it is written down. */
export function tellLedger({ socket, file }: Ledger, line: Omit<Line, 'file'>): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => connection.write(`${JSON.stringify({ file, ...line })}\n`));
    connection.once('data', () => {
      connection.end();
      resolve();
    });
    connection.once('error', reject);
  });
}
