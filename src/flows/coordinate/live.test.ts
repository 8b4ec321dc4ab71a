// What people see of a coordinator while it works, and what bounds it.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cast, numbered } from '../../../test/numbered-plan.ts';
import { Stage } from '../../../test/stage.ts';
import {
  agentOf,
  ended,
  entriesOf,
  startRun,
  testWorld,
  until,
  type TestWorld,
} from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import { Engine } from '../../../test/engine.ts';
import type { Gateway, Turn } from '../../gateways/gateway.ts';
import type { Entry } from '../../run/events.ts';
import { foldAll, decodeAll, encodeAll } from '../../run/entries.ts';
import { textOf, type RunTree, type Step } from '../../run/tree.ts';
import type { Json, Limits } from '../../run/values.ts';
import { coordinate } from './coordinate.ts';
import type { CoordinateSettings, Delegate } from './settings.ts';

/** An agent that says a word each time it is let, and tells what it was sent. */
class Slow {
  readonly sent: Turn[] = [];
  readonly agent: Agent;
  readonly #words: readonly string[];
  #gates: PromiseWithResolvers<void>[];

  constructor(name: string, ...words: readonly string[]) {
    this.#words = words;
    this.#gates = words.map(() => Promise.withResolvers<void>());
    this.agent = { name, description: name, effect: 'once', gateway: this.#gateway() };
  }

  go(word: number): void {
    this.#gates[word]?.resolve();
  }

  #gateway(): Gateway {
    const { sent } = this;
    const [words, gates] = [this.#words, this.#gates];
    return {
      async *takeTurn(turn) {
        sent.push(turn);
        for (const [i, text] of words.entries()) {
          await gates[i]?.promise;
          yield [{ type: 'text.appended', text }];
        }
        yield [{ type: 'turn.finished', reason: 'stop' }];
      },
    };
  }
}

interface Playing {
  readonly world: TestWorld;
  readonly run: string;
  readonly finished: () => Promise<RunTree>;
  readonly once: (isThere: (tree: RunTree) => boolean) => Promise<RunTree>;
  readonly entries: () => Promise<Entry[]>;
}

interface Played {
  readonly settings?: Partial<CoordinateSettings>;
  readonly limits?: Limits;
  readonly text?: string;
}

const saying = (name: string, said: Json | string): Agent =>
  agentOf(name, () => [{ type: 'say', text: typeof said === 'string' ? said : JSON.stringify(said) }]);
const down = (name: string, message: string): Agent =>
  agentOf(name, () => [{ type: 'fail', code: 'unavailable', message }], 'once');

async function play(
  agents: readonly Agent[],
  { settings = {}, limits, text }: Played = {},
): Promise<Playing> {
  const staff = ['router', 'writer'];
  const delegates = agents.filter(({ name }) => !staff.includes(name));
  const flow = coordinate({
    router: 'router',
    writer: 'writer',
    fallback: delegates.at(-1)?.name ?? '',
    agents: delegates.map(({ name }) => ({ name, title: name.toUpperCase(), description: name })),
    ...settings,
  });
  const world = testWorld({ flows: [flow], agents });
  const engine = new Engine(world, 'w');
  const request = { input: { text: text ?? 'Risk?' }, ...(limits ? { limits } : {}) };
  const { run } = await startRun(engine, flow, request);
  return {
    world,
    run,
    once: (isThere) => until(world.store, run, isThere),
    entries: () => entriesOf(world.store, run),
    async finished() {
      const tree = await ended(world.store, run);
      await engine.idle();
      expect(world.problems).toEqual([]);
      expect(tree.open.size).toBe(0);
      return tree;
    },
  };
}

const plan = (strategy: string, ...tasks: Record<string, Json>[]): Json => ({
  strategy,
  reasoning: 'Both know a part.',
  tasks,
});

const titled = (tree: RunTree, title: string): Step | undefined =>
  [...tree.steps.values()].find((step) => step.title === title);
const codesIn = ({ notices }: RunTree): string[] => notices.map(({ code }) => code);

describe('while a coordinator works', () => {
  test('[K1 K20] the choice is recorded before any agent is asked, and each agent with what it is asked and why', async () => {
    const [links, books] = [new Slow('links', 'L'), new Slow('books', 'B')];
    const router = saying(
      'router',
      plan(
        'parallel',
        { agent: 'links', instructions: 'Only fibre.', reasoning: 'It has the graph.' },
        { agent: 'books' },
      ),
    );
    const playing = await play([router, saying('writer', 'Done.'), links.agent, books.agent]);
    const tree = await playing.once((now) => now.open.size === 4);
    expect(titled(tree, 'Coordination')?.status).toBe('completed');
    expect(textOf(titled(tree, 'Coordination') as Step)).toBe('LINKS and BOOKS: Both know a part.');
    expect(titled(tree, 'LINKS')).toMatchObject({
      status: 'running',
      kind: 'agent',
      agent: 'links',
      query: 'Only fibre.',
      reasoning: 'It has the graph.',
    });
    expect(titled(tree, 'BOOKS')).toMatchObject({
      status: 'running',
      agent: 'books',
      query: 'Risk?',
      reasoning: 'Both know a part.',
    });
    links.go(0);
    books.go(0);
    await playing.finished();
    const events = (await playing.entries()).map(({ event }) => event);
    const placeOf = (type: string, title: string): number =>
      events.findIndex((event) => event.type === type && 'title' in event && event.title === title);
    const chosen = events.findIndex(
      (event) => event.type === 'step.closed' && event.step === titled(tree, 'Coordination')?.id,
    );
    for (const title of ['LINKS', 'BOOKS']) {
      expect(placeOf('step.planned', title)).toBeGreaterThan(chosen);
      expect(placeOf('step.opened', title)).toBeGreaterThan(placeOf('step.planned', title));
    }
  });

  test('[K3] what is planned is pending until its turn comes, in the order of the plan', async () => {
    const [links, books] = [new Slow('links', 'L'), new Slow('books', 'B')];
    const router = saying('router', plan('sequential', { agent: 'links' }, { agent: 'books' }));
    const playing = await play([router, saying('writer', 'Done.'), links.agent, books.agent]);
    const statuses = ({ steps }: RunTree): string[] =>
      [...steps.values()]
        .filter(({ parent, id }) => parent === 0 && id > 0)
        .map(({ title, status }) => `${title} ${status}`);
    const first = await playing.once((tree) => titled(tree, 'LINKS')?.status === 'running');
    expect(statuses(first)).toEqual([
      'Coordination completed',
      'LINKS running',
      'BOOKS pending',
      'Answer pending',
    ]);
    links.go(0);
    const second = await playing.once((tree) => titled(tree, 'BOOKS')?.status === 'running');
    expect(statuses(second)).toEqual([
      'Coordination completed',
      'LINKS completed',
      'BOOKS running',
      'Answer pending',
    ]);
    books.go(0);
    expect(statuses(await playing.finished())).toEqual(
      ['Coordination', 'LINKS', 'BOOKS', 'Answer'].map((title) => `${title} completed`),
    );
  });

  test('[K21] what an agent says, and then the writer, is shown word by word', async () => {
    const [links, writer] = [new Slow('links', 'One ', 'path.'), new Slow('writer', 'There is ', 'one.')];
    const playing = await play([saying('router', { agent_name: 'links' }), writer.agent, links.agent]);
    const saidIn = (kind: string) => (tree: RunTree) =>
      [...tree.steps.values()]
        .filter((step) => step.agent === kind && step.kind === 'turn')
        .map((step) => textOf(step))
        .join('');
    links.go(0);
    const early = await playing.once((tree) => saidIn('links')(tree) !== '');
    expect(saidIn('links')(early)).toBe('One ');
    links.go(1);
    writer.go(0);
    const late = await playing.once((tree) => saidIn('writer')(tree) !== '');
    expect(saidIn('writer')(late)).toBe('There is ');
    writer.go(1);
    expect((await playing.finished()).ended?.answer).toBe('There is one.');
  });
});

describe('when something fails', () => {
  test('[K4] a router that is down: the fallback agent works, and it is said', async () => {
    const playing = await play([
      down('router', 'The router is down.'),
      saying('writer', 'Done.'),
      saying('links', 'L'),
      saying('books', 'B'),
    ]);
    const tree = await playing.finished();
    expect(titled(tree, 'BOOKS')?.status).toBe('completed');
    expect(titled(tree, 'LINKS')).toBeUndefined();
    expect(tree.notices).toMatchObject([
      { code: 'ROUTING_FAILED', message: 'The router is down. BOOKS takes the message.' },
    ]);
    expect(tree.ended?.answer).toBe('Done.');
  });

  test('[K5] every agent that fails is shown as failed, at once, and the others as they ended', async () => {
    const books = new Slow('books', 'See page 4.');
    const router = saying(
      'router',
      plan('parallel', { agent: 'shaky' }, { agent: 'books' }, { agent: 'weak' }),
    );
    const playing = await play([
      router,
      agentOf('writer', ({ messages }) => [{ type: 'say', text: messages.at(-1)?.text ?? '' }]),
      down('shaky', 'It is down.'),
      books.agent,
      down('weak', 'Too weak.'),
    ]);
    const early = await playing.once(
      (tree) => titled(tree, 'SHAKY')?.status === 'failed' && titled(tree, 'WEAK')?.status === 'failed',
    );
    expect(titled(early, 'BOOKS')?.status).toBe('running');
    books.go(0);
    const tree = await playing.finished();
    expect(titled(tree, 'SHAKY')?.failure).toMatchObject({ code: 'unavailable', message: 'It is down.' });
    expect(tree.notices.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'AGENT_FAILED: SHAKY failed: It is down.',
      'AGENT_FAILED: WEAK failed: Too weak.',
    ]);
    expect(tree.ended).toMatchObject({ outcome: 'completed' });
    expect(tree.ended?.answer).toContain('[failed: It is down.]');
    expect(tree.ended?.answer).toContain('See page 4.');
  });

  test.for([
    { name: 'the only one', agents: ['shaky'], says: ['SHAKY could not help: It is down.'] },
    {
      name: 'both',
      agents: ['shaky', 'weak'],
      says: ['SHAKY could not help: It is down.', 'WEAK could not help: Too weak.'],
    },
  ])('[K22] $name failed: so did the run, and its answer says so', async ({ agents, says }) => {
    const router = saying('router', plan('parallel', ...agents.map((agent) => ({ agent }))));
    const staff = [
      router,
      saying('writer', 'Done.'),
      down('shaky', 'It is down.'),
      down('weak', 'Too weak.'),
    ];
    const tree = await (await play(staff)).finished();
    expect(tree.ended?.outcome).toBe('failed');
    for (const said of says) expect(tree.ended?.answer).toContain(said);
    expect(tree.ended?.answer).not.toContain('Done.');
    expect([...tree.steps.values()].find(({ kind }) => kind === 'answer')?.status).toBe('skipped');
  });

  test('[K31 K5] an agent begins when those it needs are done, behind no stranger', async () => {
    const [slow, quick] = [new Slow('slow', 'S'), new Slow('quick', 'Q')];
    const tasks: Record<string, Json>[] = [
      { agent: 'slow' },
      { agent: 'quick' },
      { agent: 'next', dependsOn: [1] },
    ];
    const playing = await play([
      saying('router', plan('hybrid', ...tasks)),
      saying('writer', 'Done.'),
      slow.agent,
      quick.agent,
      saying('next', 'N'),
    ]);
    await playing.once((now) => titled(now, 'QUICK')?.status === 'running');
    quick.go(0);
    const meanwhile = await playing.once((now) => titled(now, 'NEXT')?.status === 'completed');
    expect(titled(meanwhile, 'SLOW')?.status).toBe('running');
    slow.go(0);
    expect((await playing.finished()).ended?.answer).toBe('Done.');
  });

  test('[K34] a run that was recorded when plans had numbers goes on wherever it was left, as it would have', async () => {
    const recorded = decodeAll(readFileSync('test/golden/numbered-plan.journal', 'utf8'));
    expect(recorded.length).toBeGreaterThan(40);
    for (let kept = 1; kept < recorded.length; kept += 1) {
      const flow = coordinate(numbered);
      const world = testWorld({ flows: [flow], agents: cast() });
      await world.store.dispatch.create({
        run: 'run_old',
        tenant: 'local',
        conversation: 'c',
        app: 'test',
        title: 'old',
        flow: 'coordinate@2',
        last: kept,
        frames: encodeAll(recorded.slice(0, kept)),
      });
      const engine = new Engine(world, 'w');
      await engine.claim();
      await engine.idle();
      const tree = foldAll(await entriesOf(world.store, 'run_old'));
      expect(codesIn(tree), `left after ${kept}`).not.toContain('FLOW_DIVERGED');
      expect(tree.ended, `left after ${kept}`).toMatchObject({
        outcome: 'completed',
        answer: 'All was written.',
      });
      const isPlanned = recorded.slice(0, kept).some(({ event }) => event.type === 'step.planned');
      const asked = [...tree.steps.values()].filter(
        ({ kind, agent }) => kind === 'turn' && agent === 'graph',
      );
      expect(asked.length, `left after ${kept}`).toBe(isPlanned ? 2 : asked.length);
    }
  });

  test('[K5 E20] after a crash nobody is asked again who failed or answered, and each failure is said once', async () => {
    const slow = new Slow('slow', 'At last.');
    const asked: string[] = [];
    const counted = (agent: Agent): Agent => ({
      ...agent,
      effect: 'idempotent',
      gateway: {
        takeTurn(turn, signal) {
          asked.push(agent.name);
          return agent.gateway.takeTurn(turn, signal);
        },
      },
    });
    const router = saying(
      'router',
      plan('parallel', { agent: 'slow' }, { agent: 'links' }, { agent: 'shaky' }),
    );
    const writer = agentOf('writer', ({ messages }) => [{ type: 'say', text: messages.at(-1)?.text ?? '' }]);
    const working = [slow.agent, saying('links', 'Three.'), down('shaky', 'It is down.')];
    const agents = [router, writer, ...working].map(counted);
    const names = ['slow', 'links', 'shaky'].map((name) => ({ name, description: name }));
    const flow = coordinate({ router: 'router', writer: 'writer', fallback: 'slow', agents: names });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], agents });
    const run = await stage.start(first, flow);
    expect(titled(await stage.tree(run), 'shaky')?.status).toBe('failed');
    stage.hire({ flows: [flow], agents });
    await stage.bury(first);
    slow.go(0);
    const tree = await stage.tree(run);
    expect(tree.ended?.outcome).toBe('completed');
    for (const said of ['At last.', 'Three.', '[failed: It is down.]'])
      expect(tree.ended?.answer).toContain(said);
    expect(asked).toEqual(['router', 'slow', 'links', 'shaky', 'slow', 'writer']);
    expect(codesIn(tree)).toEqual(['AGENT_FAILED']);
  });

  test.for([
    [
      'a writer that says nothing',
      agentOf('writer', () => [{ type: 'say', text: ' ' }]),
      'The writer said nothing;',
    ],
    ['a writer that is down', down('writer', 'No writer.'), 'No writer.'],
  ] as const)('[K6] %s: what all agents said is the answer, with what failed', async ([, writer, why]) => {
    const router = saying(
      'router',
      plan('parallel', { agent: 'links' }, { agent: 'shaky' }, { agent: 'books' }),
    );
    const agents = [
      router,
      writer,
      saying('links', 'Three.'),
      down('shaky', 'It is down.'),
      saying('books', 'Page 4.'),
    ];
    const tree = await (await play(agents)).finished();
    expect(tree.ended).toMatchObject({
      outcome: 'completed',
      answer: 'LINKS: Three.\n\nBOOKS: Page 4.\n\nSHAKY could not help: It is down.',
    });
    expect(tree.notices.find(({ code }) => code === 'SYNTHESIS_FAILED')?.message).toContain(why);
  });
});

describe('what bounds a coordinator', () => {
  test('[K7] characters bound the history of router and writer, the newest first, and it is said', async () => {
    const sent = new Map<string, string[]>();
    const listening = (name: string, said: string): Agent =>
      agentOf(name, ({ messages }) => {
        sent.set(
          name,
          messages.map(({ text }) => text),
        );
        return [{ type: 'say', text: said }];
      });
    const agents = [
      listening('router', '{"agent_name":"links"}'),
      listening('writer', 'Done.'),
      saying('links', 'L'),
    ];
    const settings: CoordinateSettings = {
      router: 'router',
      writer: 'writer',
      fallback: 'links',
      agents: [{ name: 'links', description: 'links' }],
      characters: 1_000,
    };
    const flow = coordinate(settings);
    const world = testWorld({ flows: [flow], agents });
    const engine = new Engine(world, 'w');
    let tree: RunTree | undefined;
    for (const text of ['a'.repeat(900), 'b'.repeat(400), 'c'.repeat(400), 'last']) {
      const { run } = await startRun(engine, flow, { input: { text }, conversation: 'c1' });
      tree = await ended(world.store, run);
    }
    await engine.idle();
    for (const who of ['router', 'writer']) {
      const heard = sent.get(who)?.join('') ?? '';
      expect([heard.includes('ccc'), heard.includes('bbb'), heard.includes('aaa')], who).toEqual([
        true,
        true,
        false,
      ]);
    }
    const told = tree?.notices.map(({ code, message }) => `${code}: ${message}`);
    expect(told).toEqual(['HISTORY_BOUNDED: 1 earlier exchanges were left out; the last 2 were sent.']);
  });

  /** Coordinators in coordinators, so many levels deep, with one agent at the bottom. */
  function nested(levels: number): Partial<CoordinateSettings> {
    let agents: Delegate[] = [{ name: 'links', title: 'LINKS', description: 'links' }];
    for (let level = levels; level > 0; level -= 1) {
      const team = { router: 'router', writer: 'writer', fallback: agents[0]?.name ?? '', agents };
      agents = [{ name: `team${level}`, title: `TEAM ${level}`, description: 'a team', team }];
    }
    return { agents, fallback: agents[0]?.name ?? '' };
  }

  /** Chooses the only agent there is, at every level. */
  const router = agentOf('router', ({ answerSchema }) => {
    const [name = ''] = /"enum":\["([^"]+)"\]/.exec(JSON.stringify(answerSchema))?.slice(1) ?? [];
    return [{ type: 'say', text: JSON.stringify({ agent_name: name }) }];
  });
  const staff = [router, saying('writer', 'Done.'), saying('links', 'L')];

  test('[K8] coordinators in coordinators are one tree and pay from one budget', async () => {
    const tree = await (await play(staff, { settings: nested(3) })).finished();
    expect(titled(tree, 'LINKS')?.depth).toBe((titled(tree, 'TEAM 1')?.depth ?? 0) + 3);
    // A router and a writer at four levels, and the agent.
    expect(tree.spent.turns).toBe(9);
    expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'Done.' });
  });

  const answerOf = (tree: RunTree): Step | undefined =>
    [...tree.steps.values()].find(({ kind, parent }) => kind === 'answer' && parent === 0);

  test.for([1, 2, 3, 4, 5, 6, 7, 8])(
    '[K8 L8] [S42] %i turns for the whole tree are not one more at any level, and the last is for the answer',
    async (turns) => {
      const tree = await (await play(staff, { settings: nested(3), limits: { turns } })).finished();
      if (turns > 5) {
        expect(tree.spent.turns).toBe(turns);
        expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'Done.' });
        expect(answerOf(tree)?.notices).toEqual([]);
      } else {
        // Nobody could do anything, so there is nothing to write an answer from.
        expect(tree.spent.turns).toBeLessThan(turns);
        expect(tree.ended?.outcome).toBe('failed');
        expect(tree.ended?.answer).toContain(`The run has used up its ${turns} model turns.`);
      }
      expect(codesIn(tree)).toContain('BUDGET_EXHAUSTED');
    },
  );

  test.for([2, 3, 4])('[K8 L8] [S42] nobody is asked below level %i, whoever coordinates', async (depth) => {
    const tree = await (await play(staff, { settings: nested(3), limits: { depth } })).finished();
    const asked = [...tree.steps.values()].filter(
      ({ kind, status }) => kind === 'turn' && status === 'completed',
    );
    expect(Math.max(...asked.map((step) => step.depth))).toBe(depth);
    expect(tree.ended?.outcome).toBe('failed');
    expect(tree.ended?.answer).toContain(`${depth} are allowed`);
    expect(codesIn(tree)).toContain('BUDGET_EXHAUSTED');
  });
});
