// The run that every official client is put through: a team whose work is nested, one tool that changes something and asks
// first, and a writer that can be made to stand still in the middle of its answer.
import { appendFileSync, existsSync, readFileSync, writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Flow } from '../../src/engine/scope.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import type { Move, Script } from '../../src/gateways/scripted/script.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import type { Tool } from '../../src/tools/tool.ts';

/** What the team ends with. */
export const teamAnswer = 'The book is ordered. It comes on Friday: ✓ done.';
export const teamPieces: readonly string[] = teamAnswer.split(/(?<= )/);
/** Where the writer stands still. */
export const half = 4;

/** What people see of it, each with who is above it: titles from the run down. */
export const teamTree = [
  ['Planning'],
  ['Research'],
  ['Research', 'Looking it up'],
  ['Research', 'Looking it up', 'Web search'],
  ['Research', 'Looking it up', 'Web search', 'Reading a page'],
  ['place_order'],
  ['Answer'],
  ['Answer', 'Writing'],
] as const;

const files = { ledger: 'ledger.txt', still: 'still' } as const;

/** The team, with its ledger in a folder. Said «slow …», the writer stands still until it is stopped. */
export function team(folder: string): ConfigInput {
  return {
    agents: {
      researcher: { gateway: scriptedGateway(researching), effect: 'pure', trusted: true },
      writer: { gateway: writing(folder), effect: 'pure', trusted: true },
    },
    tools: [placeOrder(folder)],
    apps: { team: { flow, description: 'Orders books.' } },
    defaultApp: 'team',
  };
}

/** What was really ordered. */
export function ordersIn(folder: string): string[] {
  const file = join(folder, files.ledger);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** From now on the writer stands still in the middle of its answer, also in a process that begins later; or it goes on. */
export function standStill(folder: string, isStill: boolean): void {
  const file = join(folder, files.still);
  if (isStill) writeFileSync(file, '');
  else rmSync(file, { force: true });
}

const flow: Flow = {
  name: 'team',
  version: '1',
  async run(scope, { text }) {
    await scope.step({ key: 'plan', title: 'Planning' }, async (inner) => inner.say('First the stock.'));
    const found = await scope.step({ key: 'research', title: 'Research', kind: 'agent' }, async (inner) => {
      const messages = [{ role: 'user', text } as const];
      return (await inner.turn('researcher', { messages, title: 'Looking it up' })).text;
    });
    const order = await scope.call('place_order', { item: found }, { key: 'order' });
    return scope.step({ key: 'answer', kind: 'answer', title: 'Answer' }, async (inner) => {
      const messages = [{ role: 'user', text: `${text} ${order.outcome}` } as const];
      return (await inner.turn('writer', { messages, title: 'Writing', answers: true })).text;
    });
  },
};

const researching: readonly (readonly Move[])[] = [
  [
    { type: 'stage.opened', stage: 'search', title: 'Web search' },
    { type: 'stage.appended', stage: 'search', text: 'frankenstein stock' },
    { type: 'stage.opened', stage: 'page', parent: 'search', title: 'Reading a page' },
    { type: 'stage.appended', stage: 'page', text: 'One left.' },
    { type: 'stage.closed', stage: 'page', outcome: 'completed' },
    { type: 'stage.closed', stage: 'search', outcome: 'completed' },
    { type: 'say', text: 'Frankenstein' },
    { type: 'usage.reported', usage: { input: 20, output: 5 } },
  ],
];

function writing(folder: string): Gateway {
  const script: Script = ({ messages }) => {
    const asked = messages.at(-1)?.text ?? '';
    return [
      { type: 'say', channel: 'reasoning', text: 'They want to know when.' },
      { type: 'say', text: teamPieces.slice(0, half) },
      asked.startsWith('slow') ? { type: 'hang' } : { type: 'wait', ms: 0 },
      { type: 'say', text: teamPieces.slice(half) },
      { type: 'usage.reported', usage: { input: 30, output: 12 } },
    ];
  };
  return scriptedGateway(script, { sleep: (_, signal) => untilMoving(folder, signal) });
}

async function untilMoving(folder: string, signal: AbortSignal): Promise<void> {
  while (existsSync(join(folder, files.still))) await setTimeout(10, undefined, { signal });
}

function placeOrder(folder: string): Tool {
  return {
    name: 'place_order',
    description: 'Orders a book.',
    schema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    effect: 'idempotent',
    approval: 'always',
    async run(input) {
      appendFileSync(join(folder, files.ledger), `${JSON.stringify(input)}\n`);
      return { ordered: true };
    },
  };
}
