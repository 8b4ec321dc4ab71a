// The demo is to show all that the product has. What there is comes from the code, what can be asked from the docs.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { chartTool } from '../../demo/general-agent/chart.ts';
import { networkAgents } from '../../demo/network/agents.ts';
import { generatedBackbone } from '../../demo/network/backbone.ts';
import { networkDatabase } from '../../demo/network/database.ts';
import { dispatchAction } from '../../demo/network/dispatch.ts';
import { generatedSamples } from '../../demo/network/telemetry.ts';
import { generatedTickets } from '../../demo/network/tickets.ts';
import demoConfig from '../../demo/vitrine.config.ts';
import { cli } from '../../src/cli/cli.ts';
import * as product from '../../src/index.ts';
import type { Entry, EventOf, RunEvent } from '../../src/run/events.ts';
import { Item } from '../../src/run/values.ts';
import { documentedRows, type DocumentedRow } from '../demo/documented.ts';
import { terminalFor } from '../terminal.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'vitrine-questions-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

interface Asked {
  readonly question: string;
  readonly row: DocumentedRow;
  readonly code: number | null;
  readonly events: readonly RunEvent[];
}

const rows = documentedRows();
const asked: Asked[] = [];

// One process for all: a new one takes longer to begin than most questions to be answered.
beforeAll(async () => {
  vi.stubEnv('VITRINE_PACE', '0');
  for (const [i, row] of rows.entries()) {
    for (const { ask: question } of row.questions) {
      const words = ['run', question, '--app', 'demo', '--conversation', `c${i}`, '--yes', '--json'];
      const out: string[] = [];
      const code = await cli([...words, '--data', data], terminalFor(out, []));
      const events = out.map((line) => (JSON.parse(line) as Entry).event);
      asked.push({ question, row, code, events });
    }
  }
}, 600_000);

function of<Type extends RunEvent['type']>(type: Type, from: readonly RunEvent[]): EventOf<Type>[] {
  return from.filter((event): event is EventOf<Type> => event.type === type);
}

const all = (): readonly RunEvent[] => asked.flatMap(({ events }) => events);
const config = demoConfig({ data, pace: 0 });
const delegates = Object(config.apps?.['demo']?.settings?.['agents'] ?? []) as {
  name: string;
  title: string;
}[];
const titleOf = (agent: string): string => delegates.find(({ name }) => name === agent)?.title ?? agent;

test('every documented question is answered, by whom the table says', () => {
  expect(asked.length).toBeGreaterThan(20);
  for (const { question, row, code, events } of asked) {
    expect(code, question).toBe(0);
    expect(
      of('step.closed', events).filter(({ outcome }) => outcome === 'failed'),
      question,
    ).toEqual([]);
    const [end] = of('run.ended', events);
    expect(end?.answer, question).toEqual(expect.stringMatching(/\S/));
    expect(end?.answer, question).not.toContain('none of my rules matches');
    const agents = of('step.opened', events).filter(({ kind }) => kind === 'agent');
    expect(agents.map(({ title }) => title).toSorted(), question).toEqual(row.answers.toSorted());
  }
});

/** What each question asks a person: exactly this, and nothing else asks anything. */
const approvals = {
  'Delete user Ada King': ['User management'],
  'Dispatch a field engineer to LINK-SYD-MEL-FIBRE-01, urgent': ['Field dispatch'],
  'Post a notice for Perth: the lift is out of order': ['Duty desk'],
};

test('[S37] every documented question asks a person exactly what it always asked', () => {
  const put = asked.flatMap(({ question, events }) => {
    const titles = of('approval.requested', events).map(({ title }) => title);
    return titles.length === 0 ? [] : [[question, titles] as const];
  });
  expect(Object.fromEntries(put)).toEqual(approvals);
});

test('every agent of the configuration appears in a question', () => {
  const seen = new Set(of('step.opened', all()).map(({ agent }) => agent));
  const agents = Object.keys(config.agents ?? {}).filter((agent) => !agent.startsWith('tour-'));
  expect(agents.filter((agent) => !seen.has(agent))).toEqual([]);
  const documentedTitles = rows.flatMap(({ answers }) => answers);
  const working = agents.filter((agent) => agent !== 'demo-model');
  expect(working.map(titleOf).filter((title) => !documentedTitles.includes(title))).toEqual([]);
});

test('every kind of item and every visualization appears in a question', () => {
  const items = of('item.attached', all()).map(({ item }) => item);
  for (const option of Item.options) {
    const kind = option.shape.kind.value;
    const own = items.filter((item) => item.kind === kind);
    expect(own.length, kind).toBeGreaterThan(0);
    if (!('shape' in option.shape)) continue;
    const shapes = new Set(own.map((item) => ('shape' in item ? item.shape : undefined)));
    expect(option.shape.shape.options.filter((shape) => !shapes.has(shape))).toEqual([]);
  }
});

/** Tools that ship, made by whatever the package publishes for it. */
function shippedTools(): string[] {
  const ofOthers = ['functionTool', 'killableTool'];
  const makers = Object.entries(product).filter(([name]) => /Tools?$/.test(name) && !ofOthers.includes(name));
  expect(makers.length).toBeGreaterThan(3);
  return makers.flatMap(([, make]) => {
    const made = (make as (options: object) => product.Tool | product.Tool[])({ root });
    return [made].flat().map(({ name }) => name);
  });
}

/** Tools the agents of the demo have beside those, each made with `functionTool`. */
function ownTools(): string[] {
  const backbone = generatedBackbone(1);
  const samples = generatedSamples(backbone.links, 1);
  const database = networkDatabase({ backbone, samples, tickets: generatedTickets(backbone.links, 1) });
  const agents = networkAgents({ backbone, database, runbooks: root });
  database.close();
  return [...agents.flatMap(({ tools }) => tools), chartTool(), dispatchAction].map(({ name }) => name);
}

/** What the user service called; it shows nothing of it on its wire. */
function calledByUsers(): string[] {
  const database = new DatabaseSync(join(data, 'demo-users.db'), { readOnly: true });
  const kept = database.prepare('SELECT messages FROM conversations').all();
  database.close();
  return kept.flatMap(({ messages }) =>
    [...String(messages).matchAll(/"name":\s*"(\w+)"/g)].map(([, name = '']) => name),
  );
}

test('every tool that ships, and every tool of the agents, is used in a question', () => {
  const used = new Set(of('step.opened', all()).map(({ title }) => title));
  expect([...shippedTools(), ...ownTools()].filter((tool) => !used.has(tool))).toEqual([]);
  const source = readFileSync(join(root, 'demo/user-service/user-tools.ts'), 'utf8');
  const ofUsers = [...source.matchAll(/name: '(\w+)'/g)].map(([, name = '']) => name);
  expect(ofUsers.length).toBeGreaterThan(3);
  const called = calledByUsers();
  expect(ofUsers.filter((tool) => !called.includes(tool))).toEqual([]);
});

test('MCP servers are reached in every way there is', () => {
  const source = readFileSync(join(root, 'src/tools/mcp/connection.ts'), 'utf8');
  const ways = /type Endpoint = (.+);/.exec(source)?.[1]?.split(' | ') ?? [];
  expect(ways.length).toBeGreaterThan(1);
  const shown = of('step.opened', all()).flatMap(({ title }) => /MCP over (\w+)/.exec(title)?.[1] ?? []);
  const reached = new Set(shown.map((way) => way.toLowerCase()));
  expect(
    ways.map((way) => way.replace(/Server$/, '').toLowerCase()).filter((way) => !reached.has(way)),
  ).toEqual([]);
});
