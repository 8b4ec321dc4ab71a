import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSections } from '../../src/wire/sectioned-text.ts';
import { askDial } from '../../test/demo/dial-client.ts';
import type { DemoServer } from '../loopback-server.ts';
import { startModel } from '../model/server.ts';
import { cutLink, generatedBackbone, type Backbone } from './backbone.ts';
import { startNetwork } from './server.ts';
import { generatedSamples, now } from './telemetry.ts';
import { generatedTickets } from './tickets.ts';

const seed = Math.floor(Math.random() * 1_000_000);
const backbone = generatedBackbone(seed);
let [model, network]: DemoServer[] = [];

beforeAll(async () => {
  model = await startModel({ pace: 0 });
  network = await startNetwork({ model: { baseUrl: `${model.url}/v1`, model: 'vitrine-scripted' }, seed });
});
afterAll(async () => {
  await network?.close();
  await model?.close();
});

function any<T>(values: readonly T[]): T {
  const value = values[Math.floor(Math.random() * values.length)];
  if (value === undefined) throw new Error('there is nothing to draw from');
  return value;
}

interface Answer {
  readonly analysis: string;
  readonly shapes: string[];
  readonly data: Record<string, unknown>[];
  readonly citations: string[];
}

async function ask(agent: string, question: string): Promise<Answer> {
  const { content, stages, status } = await askDial(network?.url ?? '', agent, [
    { role: 'user', content: question },
  ]);
  expect(status).toBe(200);
  expect([...stages.values()].every((stage) => stage.status === 'completed')).toBe(true);
  const { text, items } = readSections(content, agent) ?? { text: content, items: [] };
  const drawn = items.flatMap((item) => (item.kind === 'visualization' ? [item] : []));
  return {
    analysis: text,
    shapes: drawn.map(({ shape }) => shape),
    data: drawn.map(({ data }) => data as Record<string, unknown>),
    citations: items.flatMap((item) => (item.kind === 'citation' ? item.title : [])),
  };
}

const rowsOf = ({ data }: Answer): Record<string, unknown>[] =>
  data.flatMap((each) => (each['rows'] ?? []) as Record<string, unknown>[]);
const column = (answer: Answer, name: string): unknown[] => rowsOf(answer).map((row) => row[name]);
const sorted = (values: Iterable<unknown>): string[] => [...values].map(String).toSorted();
const codes = ({ sites }: Backbone): string[] => sites.map(({ code }) => code);

describe('the data', () => {
  test('is the same for the same seed, and another for another', () => {
    const parts = (from: number): unknown => {
      const { links, ...rest } = generatedBackbone(from);
      return [links, rest, generatedSamples(links, from).slice(0, 500), generatedTickets(links, from)];
    };
    expect(parts(seed)).toEqual(parts(seed));
    expect(parts(seed)).not.toEqual(parts(seed + 1));
  });

  test('has ids that say where a link is, paths that hang together, and one fibre that is cut', () => {
    expect(
      backbone.links.every(({ id }) => /^LINK-[A-Z]{3}-[A-Z]{3}-(?:FIBRE|SUBSEA|MW)-\d\d$/.test(id)),
    ).toBe(true);
    expect(backbone.links.filter(({ status }) => status === 'down').map(({ id }) => id)).toEqual([cutLink]);
    for (const { from, to, links } of backbone.paths) {
      const end = links.reduce((at, id) => {
        const link = backbone.links.find((each) => each.id === id);
        return link?.from === at ? link.to : link?.to === at ? link.from : '?';
      }, from);
      expect(end).toBe(to);
    }
    const backups = backbone.paths.filter(({ role }) => role === 'BACKUP');
    for (const backup of backups) {
      const primary = backbone.paths.find(({ id }) => id === backup.id.replace('BACKUP', 'PRIMARY'));
      expect(primary?.links.some((link) => backup.links.includes(link))).toBe(false);
    }
  });
});

describe('GraphExplorerAgent', () => {
  test.for([cutLink, any(backbone.links).id, any(backbone.links).id])(
    'knows what depends on %s',
    async (link) => {
      const answer = await ask('GraphExplorerAgent', `What paths depend on ${link}?`);
      const expected = backbone.paths.filter(({ links }) => links.includes(link)).map(({ id }) => id);
      expect(answer.shapes).toEqual(['graph', 'table']);
      expect(sorted(new Set(column(answer, 'path')))).toEqual(sorted(expected));
      for (const path of expected) expect(answer.analysis).toContain(path);
      const services = backbone.services.filter(
        ({ primary, backup }) => expected.includes(primary) || expected.includes(backup ?? ''),
      );
      expect(new Set(column(answer, 'service').filter((id) => id !== null))).toEqual(
        new Set(services.map(({ id }) => id)),
      );
    },
  );

  function atRisk(failed: readonly string[]): Map<string, string> {
    const isBroken = (path: string | null): boolean =>
      backbone.paths.find(({ id }) => id === path)?.links.some((link) => failed.includes(link)) ?? false;
    return new Map(
      backbone.services.flatMap(({ id, primary, backup }): [string, string][] => {
        if (!isBroken(primary)) return isBroken(backup) ? [[id, 'backup lost']] : [];
        return [[id, backup === null || isBroken(backup) ? 'lost' : 'on backup']];
      }),
    );
  }

  const link = any(backbone.links).id;
  const site = any(backbone.sites);
  test.for([
    {
      question: 'Which services are at risk?',
      failed: backbone.links.filter(({ status }) => status !== 'up'),
    },
    {
      question: `Which services would be affected by the loss of ${link}?`,
      failed: backbone.links.filter(({ id }) => id === link),
    },
    {
      question: `Which services are at risk in ${site.name}?`,
      failed: backbone.links.filter(({ from, to }) => [from, to].includes(site.code)),
    },
  ])('$question', async ({ question, failed }) => {
    const answer = await ask('GraphExplorerAgent', question);
    const expected = atRisk(failed.map(({ id }) => id));
    expect(new Map(rowsOf(answer).map((row) => [row['service'], row['state']]))).toEqual(expected);
    expect(answer.analysis).toContain(`${expected.size} service`);
  });

  test('finds the shortest way between any two sites over links that are up', async () => {
    const [from, to] = [any(codes(backbone)), any(codes(backbone))];
    if (from === to) return;
    const answer = await ask('GraphExplorerAgent', `What is the route from ${from} to ${to}?`);
    const total = rowsOf(answer).reduce((sum, row) => sum + Number(row['kilometres']), 0);
    expect(total).toBe(allDistances().get(`${from} ${to}`));
  });

  test('lists the links of any site, and those that are down', async () => {
    const { code, name } = any(backbone.sites);
    const answer = await ask('GraphExplorerAgent', `Show the topology of ${name}`);
    expect(sorted(column(answer, 'link'))).toEqual(
      sorted(backbone.links.filter(({ from, to }) => from === code || to === code).map(({ id }) => id)),
    );
    expect((await ask('GraphExplorerAgent', 'Which links are down?')).analysis).toBe(
      `1 link is down: ${cutLink} (fibre cut).`,
    );
  });

  test('draws every edge between nodes it names', async () => {
    const { data } = await ask('GraphExplorerAgent', 'Which services are at risk?');
    const [graph = {}] = data;
    const nodes = new Set((graph['nodes'] as { id: string }[]).map(({ id }) => id));
    const edges = graph['edges'] as { source: string; target: string }[];
    expect(edges.length).toBeGreaterThan(10);
    expect(edges.every(({ source, target }) => nodes.has(source) && nodes.has(target))).toBe(true);
  });

  test('says which links there are when it is asked about none of them', async () => {
    const { stages, content } = await askDial(network?.url ?? '', 'GraphExplorerAgent', [
      { role: 'user', content: 'What paths depend on LINK-SYD-LAX-SUBSEA-01?' },
    ]);
    expect(stages.get(0)?.status).toBe('failed');
    expect(content).toContain('There is no link LINK-SYD-LAX-SUBSEA-01; there are LINK-');
  });
});

/** All shortest ways at once, by Floyd and Warshall: another algorithm than the one under test. */
function allDistances(): Map<string, number> {
  const far = new Map(codes(backbone).map((code) => [`${code} ${code}`, 0]));
  const get = (one: string, other: string): number => far.get(`${one} ${other}`) ?? Infinity;
  for (const { from, to, kilometres, status } of backbone.links) {
    if (status !== 'up') continue;
    for (const key of [`${from} ${to}`, `${to} ${from}`])
      far.set(key, Math.min(kilometres, far.get(key) ?? Infinity));
  }
  for (const over of codes(backbone))
    for (const one of codes(backbone))
      for (const other of codes(backbone))
        far.set(`${one} ${other}`, Math.min(get(one, other), get(one, over) + get(over, other)));
  return far;
}

describe('TelemetryAgent', () => {
  const samples = generatedSamples(backbone.links, seed);
  const average = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  test.for([cutLink, any(backbone.links).id])('adds up a day of %s, hour by hour', async (link) => {
    const answer = await ask(
      'TelemetryAgent',
      `What paths depend on ${link}?\n\nGive the telemetry of ${link}.`,
    );
    const own = samples.filter((sample) => sample.link === link);
    const hours = Map.groupBy(own, ({ at }) => `${at.slice(0, 13)}:00Z`);
    expect(answer.shapes).toEqual(['table']);
    expect(column(answer, 'hour')).toEqual([...hours.keys()]);
    for (const row of rowsOf(answer)) {
      const expected = average(
        (hours.get(String(row['hour'])) ?? []).map(({ utilisation_percent: value }) => value),
      );
      expect(row['utilisation_percent']).toBeCloseTo(expected, 1);
    }
    expect(answer.analysis).toContain(
      `${Math.max(...own.map(({ utilisation_percent: value }) => value))}% at its peak`,
    );
    expect(answer.analysis.includes('carried nothing since')).toBe(link === cutLink);
  });

  test.for(['utilisation', 'latency', 'loss'])('ranks links by %s over the last hour', async (metric) => {
    const answer = await ask('TelemetryAgent', `Which links have the highest ${metric}?`);
    const name = { utilisation: 'utilisation_percent', latency: 'latency_ms', loss: 'loss_percent' }[
      metric
    ] as 'latency_ms';
    const since = new Date(now - 3_600_000).toISOString();
    const ranked = [
      ...Map.groupBy(
        samples.filter(({ at }) => at > since),
        ({ link }) => link,
      ),
    ]
      .map(([link, each]) => ({
        link,
        value: Math.round(average(each.map((sample) => sample[name])) * 100) / 100,
      }))
      .sort((one, other) => other.value - one.value);
    const values = column(answer, name).map(Number);
    for (const [i, value] of values.entries()) expect(value).toBeCloseTo(ranked[i]?.value ?? 0, 1);
    expect(values).toHaveLength(5);
  });

  test('shows the links of any site', async () => {
    const { code, name } = any(backbone.sites);
    const answer = await ask('TelemetryAgent', `How busy are the links in ${name}?`);
    expect(sorted(column(answer, 'link'))).toEqual(
      sorted(backbone.links.filter(({ from, to }) => from === code || to === code).map(({ id }) => id)),
    );
  });
});

describe('RunbookKBAgent', () => {
  test.for([
    ['Summarise the runbook for fibre cuts', 'rb-001-fibre-cut'],
    ['Summarise the runbook for power failures', 'rb-005-power-failure'],
    ['Summarize the runbook about congestion', 'rb-004-congestion'],
    ['Give me an overview of the runbook for BGP flaps', 'rb-007-bgp-flap'],
  ] as const)('%s', async ([question, file]) => {
    const answer = await ask('RunbookKBAgent', question);
    const runbook = readFileSync(new URL(`./runbooks/${file}.md`, import.meta.url), 'utf8');
    const quotes = [...answer.analysis.matchAll(/“(.+)”$/gm)].map(([, quote = '']) => quote);
    expect(quotes.length).toBeGreaterThan(2);
    for (const quote of quotes) expect(runbook).toContain(quote);
    expect(answer.shapes).toEqual(['documents']);
    expect(answer.citations.length).toBeGreaterThan(0);
  });

  test('looks up what fits the failures that others found, the one that is down first', async () => {
    const { analysis: found } = await ask('GraphExplorerAgent', 'Which services are at risk?');
    const question = `Which services are at risk and what does the runbook say?\n\nLook up what to do about the failure that was found.\n\nResult of GraphExplorerAgent:\n${found}`;
    const { analysis } = await ask('RunbookKBAgent', question);
    expect(analysis).toMatch(/^\*\*RB-001 Fibre cut\*\* says/);
    expect(analysis.match(/^\*\*RB-/gm)).toHaveLength(2);
  });
});

describe('HistoricalTicketAgent', () => {
  const tickets = generatedTickets(backbone.links, seed);

  test('counts the tickets of any link, and cites them', async () => {
    const { link } = any(tickets);
    const own = tickets.filter((ticket) => ticket.link === link);
    const answer = await ask('HistoricalTicketAgent', `Has ${link} failed before?`);
    expect(answer.analysis).toMatch(new RegExp(`^${own.length} tickets? of the last two years`));
    expect(answer.citations).toHaveLength(Math.min(6, own.length));
    for (const citation of answer.citations) expect(own.some(({ id }) => citation.includes(id))).toBe(true);
  });

  test('finds tickets by their words', async () => {
    const { analysis } = await ask('HistoricalTicketAgent', 'Which tickets are about a bushfire?');
    const expected = tickets.some(({ summary }) => summary.includes('bushfire'));
    expect(analysis.includes('bushfire')).toBe(expected || analysis.startsWith('No ticket'));
  });
});

describe('field dispatch', () => {
  const post = (body: unknown, key?: string): Promise<Response> =>
    fetch(`${network?.url}/actions/dispatch_field_engineer`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const dispatches = async (): Promise<unknown[]> =>
    (await (await fetch(`${network?.url}/dispatches`)).json()) as unknown[];
  const action = {
    status: 'dispatched',
    dispatch_id: expect.stringMatching(/^DSP-[A-Z]{3}-\d{4}$/),
    dispatch_time: expect.any(String),
    engineer: { name: expect.any(String), email: expect.stringContaining('@'), phone: expect.any(String) },
    destination: {
      description: expect.any(String),
      latitude: expect.any(Number),
      longitude: expect.any(Number),
      maps_link: expect.stringContaining('https://'),
    },
    urgency: 'high',
    sensor_ids: expect.any(Array),
    email_subject: expect.any(String),
    email_body: expect.any(String),
  };

  test('declares that it needs approval and what it takes', async () => {
    const actions = await (await fetch(`${network?.url}/actions`)).json();
    expect(actions).toMatchObject([
      {
        name: 'dispatch_field_engineer',
        is_action: true,
        effect: 'once',
        approval: 'always',
        schema: { type: 'object' },
      },
    ]);
  });

  test('sends somebody once, however often the same key asks', async () => {
    const order = { destination: any(backbone.links).id, urgency: 'high', reason: 'No light.' };
    const before = (await dispatches()).length;
    const first: unknown = await (await post(order, 'k1')).json();
    expect(first).toEqual({ is_action: true, name: 'dispatch_field_engineer', action });
    expect(await (await post(order, 'k1')).json()).toEqual(first);
    expect(await dispatches()).toHaveLength(before + 1);
    await post(order, 'k2');
    expect(await dispatches()).toHaveLength(before + 2);
  });

  test.for([
    { name: 'nowhere', order: { destination: 'LINK-ATLANTIS', reason: 'x' }, status: 404 },
    { name: 'without a reason', order: { destination: 'SYD' }, status: 400 },
    {
      name: 'with an urgency nobody knows',
      order: { destination: 'SYD', reason: 'x', urgency: 'panic' },
      status: 400,
    },
  ])('sends nobody $name', async ({ order, status }) => {
    const before = (await dispatches()).length;
    expect((await post(order)).status).toBe(status);
    expect(await dispatches()).toHaveLength(before);
  });

  test('is kept when the process is gone: the same key is still the same dispatch, and numbers go on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-network-'));
    const settings = {
      model: { baseUrl: `${model?.url}/v1`, model: 'vitrine-scripted' },
      records: join(folder, 'network.db'),
    };
    const send = async ({ url }: DemoServer, key: string): Promise<{ action: { dispatch_id: string } }> => {
      const order = { method: 'POST', body: JSON.stringify({ destination: 'SYD', reason: 'No light.' }) };
      const headers = { 'idempotency-key': key };
      const response = await fetch(`${url}/actions/dispatch_field_engineer`, { ...order, headers });
      return (await response.json()) as { action: { dispatch_id: string } };
    };
    const before = await startNetwork(settings);
    const sent = await send(before, 'k');
    await before.close();
    const after = await startNetwork(settings);
    expect(await send(after, 'k')).toEqual(sent);
    expect((await send(after, 'other')).action.dispatch_id).toBe('DSP-SYD-0002');
    expect(await (await fetch(`${after.url}/dispatches`)).json()).toHaveLength(2);
    await after.close();
    rmSync(folder, { recursive: true });
  });

  test('is an agent too, whose answer carries the action', async () => {
    const { name } = any(backbone.sites);
    const { content, attachments } = await askDial(network?.url ?? '', 'FieldDispatchAgent', [
      { role: 'user', content: `Dispatch a field engineer to ${name}, urgent` },
    ]);
    expect(content).toContain(`is on the way to site ${name}`);
    const data: unknown = JSON.parse(attachments[0]?.['data'] ?? '{}');
    expect(data).toEqual({ is_action: true, name: 'dispatch_field_engineer', action });
  });
});
