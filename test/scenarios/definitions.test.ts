import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import type { ConfigInput } from '../../src/catalog/config.ts';
import type { Flow } from '../../src/engine/scope.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { decideOn, serving, temporaryFolder, textAt, type Serving } from '../serving.ts';

const changing = fileURLToPath(new URL('../mcp/changing.ts', import.meta.url));
const often = { interval: 100 };

/** Asks for the tool that it was told of; once something came back it says what its instructions are. */
const clerk: Gateway = {
  async *takeTurn({ messages, tools = [] }) {
    const [system, asked] = messages;
    const tool = messages.length <= 2 ? tools.find(({ name }) => name === asked?.text) : undefined;
    if (tool) yield [{ type: 'call.appended', call: 'c', tool: tool.name, text: '{}' }];
    else yield [{ type: 'text.appended', text: `I was told: ${system?.text}` }];
    yield [{ type: 'turn.finished', reason: tool ? 'calls' : 'stop' }];
  },
};

const agents = { clerk: { gateway: clerk, effect: 'pure', description: 'A clerk.' } } as const;
const pay = {
  name: 'pay',
  description: 'Pays.',
  schema: {},
  effect: 'once' as const,
  approval: 'always' as const,
  run: async () => 'paid',
};

function asking(name: string, version: string): Flow {
  return {
    name,
    version,
    async run(scope) {
      const { decision } = await scope.ask({ title: 'Go on?' });
      return `${decision} in version ${version}`;
    },
  };
}

const conversing = (system: string, tool: string) => ({
  flow: 'converse',
  settings: { agent: 'clerk', system, tools: [tool] },
});

function configOf(names: string, apps: ConfigInput['apps']): ConfigInput {
  const far = {
    name: 'far',
    command: [process.execPath, changing, names],
    trusted: true,
    approval: { send: 'always' as const },
  };
  return { agents, tools: [pay, { mcp: far }], apps: { ...apps } };
}

const apps = {
  raised: { flow: asking('raised', '1') },
  own: { flow: asking('own', '1') },
  edited: conversing('first words', 'pay'),
  removed: conversing('last words', 'pay'),
  far: conversing('far words', 'far__send'),
};
const texts = { raised: 'x', own: 'x', edited: 'pay', removed: 'pay', far: 'far__send' } as const;
type App = keyof typeof texts;
const kinds = Object.keys(texts) as readonly App[];
const each = 100;
const all = kinds.length * each;

test('[DF20] [DF7] while 100 runs of each wait a version is raised, apps go, settings change and a tool is lost: none is silent', async () => {
  const data = temporaryFolder();
  const names = join(data, 'names');
  writeFileSync(names, 'send');
  const before = await serving({ data, config: configOf(names, apps) });
  const wanted = kinds.flatMap((app) => Array.from({ length: each }, () => app));
  const waiting = new Map<string, App>();
  await together(wanted, async (app) => void waiting.set(await begin(before, app), app));
  await vi.waitFor(async () => {
    const stands = [...(await list(before)).values()].map(({ status }) => status);
    expect(stands).toEqual(Array.from({ length: all }, () => 'waiting'));
  }, often);
  await before.close();

  writeFileSync(names, '');
  const changed = { raised: { flow: asking('raised', '2') }, edited: conversing('second words', 'pay') };
  const between = await serving({
    data,
    config: configOf(names, { ...changed, far: conversing('other words', 'far__send') }),
  });
  const sentence = (flow: string): string =>
    `The flow ${flow} that it began with is not here: bring it back and the run goes on as recorded, or stop the run.`;
  const isStranded = (app: App): boolean => app === 'raised' || app === 'own';
  const listed = await list(between);
  for (const [run, app] of waiting)
    expect(listed.get(run)?.stranded).toBe(isStranded(app) ? sentence(`${app}@1`) : undefined);
  expect((await between.ask('/metrics')).text).toContain(`vitrine_stranded_runs ${2 * each}\n`);
  const logged = between.problems.map(({ cause }) => String(cause));
  for (const app of ['raised', 'own'])
    expect(logged).toContainEqual(
      expect.stringContaining(`${each} runs are stranded: the flow ${app}@1 is not here`),
    );

  await together([...waiting.keys()], async (run) => {
    const [approval] = (await treeOf(between, run)).approvals;
    expect((await decideOn(between, approval?.id ?? '')).status).toBe(200);
  });
  const first = [...waiting].find(([, app]) => app === 'own')?.[0] ?? '';
  expect((await between.ask(`/api/runs/${first}/stop`, { json: {} })).status).toBe(200);
  await together([...waiting], async ([run, app]) => {
    if (run === first) expect(await treeOf(between, run)).toMatchObject({ status: 'stopped' });
    else if (isStranded(app)) {
      const tree = await treeOf(between, run);
      expect(tree).toMatchObject({ status: 'running', stranded: sentence(`${app}@1`) });
      expect(tree.notices).toContainEqual(
        expect.objectContaining({ code: 'RUN_STRANDED', message: sentence(`${app}@1`) }),
      );
    } else {
      const tree = await ended(between, run);
      const words = { edited: 'first words', removed: 'last words', far: 'far words' } as const;
      expect(tree.answer).toBe(`I was told: ${words[app as keyof typeof words]}`);
      // What was approved is done, and what cannot be done any more says so.
      const [call] = tree.steps.filter((step) => step.call !== undefined);
      expect(call).toMatchObject(
        app === 'far'
          ? { status: 'failed', failure: { message: expect.stringContaining('far__send') } }
          : { status: 'completed', result: 'paid' },
      );
    }
  });
  await between.close();

  const after = await serving({ data, config: configOf(names, apps) });
  await together([...waiting], async ([run, app]) => {
    if (isStranded(app) && run !== first)
      expect(await ended(after, run)).toMatchObject({ answer: 'approve in version 1' });
  });
  expect((await after.ask('/metrics')).text).toContain('vitrine_stranded_runs 0\n');
});

test('[DF30] what a server of tools announces is offered in the next turn of a run that works', async () => {
  const data = temporaryFolder();
  const names = join(data, 'names');
  writeFileSync(names, 'wait');
  const offered: string[][] = [];
  const curious: Gateway = {
    async *takeTurn({ tools = [] }) {
      offered.push(tools.map(({ name }) => name));
      const isLast = offered.length > 1;
      if (isLast) yield [{ type: 'text.appended', text: 'done' }];
      else yield [{ type: 'call.appended', call: 'c', tool: 'pay', text: '{}' }];
      yield [{ type: 'turn.finished', reason: isLast ? 'stop' : 'calls' }];
    },
  };
  const config = configOf(names, { talk: { flow: 'converse', settings: { agent: 'clerk' } } });
  const at = await serving({
    data,
    config: { ...config, agents: { clerk: { gateway: curious, effect: 'pure', description: 'A clerk.' } } },
  });
  const has = (tool: string): boolean =>
    at.server.context.home.catalog.tools.some(({ name }) => name === `far__${tool}`);
  await vi.waitFor(() => expect(has('wait')).toBe(true), often);
  const { json } = await at.ask('/api/runs', { json: { app: 'talk', input: { text: 'x' } } });
  const { run } = json as { readonly run: string };
  const [approval] = await vi.waitFor(async () => {
    const { approvals } = await treeOf(at, run);
    expect(approvals).toHaveLength(1);
    return approvals;
  }, often);
  writeFileSync(names, 'send');
  await vi.waitFor(() => expect([has('wait'), has('send')]).toEqual([false, true]), often);
  await decideOn(at, approval?.id ?? '');
  await ended(at, run);
  expect(offered).toEqual([
    ['pay', 'far__wait'],
    ['pay', 'far__send'],
  ]);
});

test('[DF31] a policy of one’s own is asked beside those that ship', async () => {
  const policies = {
    thrift: (_: unknown, { call }: { readonly call?: { readonly tool: string } }) =>
      call?.tool === 'pay'
        ? ({ verdict: 'refuse', code: 'THRIFT', reason: 'Nothing is paid here.' } as const)
        : ({ verdict: 'allow' } as const),
  };
  const flow: Flow = {
    name: 'buys',
    version: '1',
    run: async (scope) => JSON.stringify(await scope.call('pay', {})),
  };
  const at = await serving({ config: { tools: [pay], policies, apps: { buys: { flow } } } });
  const { json } = await at.ask('/api/runs', { json: { input: { text: 'x' } } });
  const tree = await ended(at, (json as { readonly run: string }).run);
  expect(tree.answer).toContain('Nothing is paid here.');
  expect(tree.notices).toMatchObject([{ code: 'THRIFT' }]);
});

async function begin(at: Serving, app: App): Promise<string> {
  return textAt(await at.ask('/api/runs', { json: { app, input: { text: texts[app] } } }), 'run');
}

/** So many at once: more would only wait for each other. */
async function together<T>(wanted: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = wanted.values();
  const working = Array.from({ length: 20 }, async () => {
    for (const one of left) await work(one);
  });
  await Promise.all(working);
}

async function treeOf(at: Serving, run: string): Promise<FlatTree> {
  return (await at.ask(`/api/runs/${run}`)).json as FlatTree;
}

function ended(at: Serving, run: string): Promise<FlatTree> {
  return vi.waitFor(async () => {
    const tree = await treeOf(at, run);
    expect(tree).toMatchObject({ status: 'completed' });
    return tree;
  }, often);
}

interface ListedRun {
  readonly run: string;
  readonly status: string;
  readonly stranded?: string;
}

async function list(at: Serving): Promise<ReadonlyMap<string, ListedRun>> {
  const runs = new Map<string, ListedRun>();
  for (let next: string | null = ''; next !== null;) {
    const page = (await at.ask(`/api/runs?limit=200${next === '' ? '' : `&after=${next}`}`)).json as {
      readonly runs: readonly ListedRun[];
      readonly next: string | null;
    };
    for (const row of page.runs) runs.set(row.run, row);
    next = page.next;
  }
  return runs;
}
