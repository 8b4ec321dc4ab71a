import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { entriesOf, flowOf, startRun, testWorld, toolOf, treeOf } from '../../../test/world.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { RunTree } from '../../run/tree.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { Haste, Store } from '../../stores/store.ts';
import type { Tool } from '../../tools/tool.ts';
import { Engine } from '../../../test/engine.ts';
import type { Flow, Node, Scope, Settled } from '../scope.ts';
import { decodeAll } from '../../run/entries.ts';

function shown(tree: RunTree): string[] {
  return [...tree.steps.values()]
    .filter(({ parent, id }) => parent === 0 && id !== 0)
    .map(({ key, status, failure }) => [key, status, failure?.message].filter(Boolean).join(' '));
}

/** Which steps were opened and closed, in the order of entries. */
function course(entries: readonly Entry[]): string[] {
  const keys = new Map<number, string>();
  return entries.flatMap(({ event }) => {
    if (event.type === 'step.planned') keys.set(event.step, event.key);
    if (event.type === 'step.opened' && keys.has(event.step)) return [`${event.key} opened`];
    if (event.type === 'step.closed' && keys.has(event.step))
      return [`${keys.get(event.step)} ${event.outcome}`];
    return [];
  });
}

/** Work that is over when it is told to be. */
function workshop() {
  const ends = new Map<string, () => void>();
  const work = toolOf('work', async (input) => {
    const { key } = input as { key: string };
    await new Promise<void>((resolve) => ends.set(key, resolve));
    return key;
  });
  const node = (key: string, more: Partial<Node<string>> = {}): Node<string> => ({
    ...more,
    run: async (scope) => (await scope.call('work', { key })).outcome,
  });
  const end = async (key: string): Promise<void> => {
    ends.get(key)?.();
    await calm();
  };
  return { work, node, end };
}

async function play(flow: Flow, tools: readonly Tool[] = []): Promise<{ stage: Stage; run: string }> {
  const stage = new Stage();
  const worker = stage.hire({ flows: [flow], tools });
  return { stage, run: await stage.start(worker, flow) };
}

describe('a graph', () => {
  test('[E16] begins each step when those it comes after are settled, and waits for no stranger', async () => {
    const { work, node, end } = workshop();
    const flow = flowOf(async (scope) => {
      const done = await scope.graph({
        slow: node('slow'),
        quick: node('quick'),
        next: node('next', { after: ['quick'] }),
        last: node('last', { after: ['slow', 'next'] }),
      });
      return Object.entries(done)
        .map(([key, { outcome }]) => `${key} ${outcome}`)
        .join(', ');
    });
    const { stage, run } = await play(flow, [work]);
    expect(shown(await stage.tree(run))).toEqual([
      'slow running',
      'quick running',
      'next pending',
      'last pending',
    ]);
    await end('quick');
    expect(shown(await stage.tree(run))).toEqual([
      'slow running',
      'quick completed',
      'next running',
      'last pending',
    ]);
    await end('next');
    await end('slow');
    await end('last');
    expect((await stage.tree(run)).ended?.answer).toBe(
      'slow completed, quick completed, next completed, last completed',
    );
  });

  test('[E17] tells a step how those before it ended, and what is not to be done is skipped unopened', async () => {
    const seen: unknown[] = [];
    const fails = new RunError('unavailable', 'It is down.');
    const unlessFailed = (before: Readonly<Record<string, Settled>>): string | undefined =>
      Object.values(before).some(({ outcome }) => outcome !== 'completed')
        ? 'What it needs is not there.'
        : undefined;
    const flow = flowOf(async (scope) => {
      const done = await scope.graph({
        good: { run: async () => 1 },
        bad: { run: () => Promise.reject(fails) },
        both: { after: ['good', 'bad'], run: async (_, before) => void seen.push(before) },
        needy: { after: ['bad'], unless: unlessFailed, run: async () => 'never' },
        needier: { after: ['needy'], unless: unlessFailed, run: async () => 'never' },
      });
      return JSON.stringify(done.needier);
    });
    const { stage, run } = await play(flow);
    const tree = await stage.tree(run);
    expect(shown(tree)).toEqual([
      'good completed',
      'bad failed It is down.',
      'both completed',
      'needy skipped What it needs is not there.',
      'needier skipped What it needs is not there.',
    ]);
    const failure = { code: 'unavailable', message: 'It is down.' };
    expect(seen).toEqual([
      { good: { outcome: 'completed', result: 1 }, bad: { outcome: 'failed', failure } },
    ]);
    expect(tree.ended?.answer).toBe('{"outcome":"skipped","reason":"What it needs is not there."}');
    expect(course(await stage.entries(run)).filter((line) => line.startsWith('need'))).toEqual([
      'needy skipped',
      'needier skipped',
    ]);
  });

  const broken: readonly (readonly [string, (scope: Scope) => Promise<unknown>, RegExp])[] = [
    [
      'a stranger',
      (scope) => scope.graph({ a: { after: ['x'], run: async () => 1 } }),
      /«a» comes after «x»/,
    ],
    [
      'a circle',
      (scope) =>
        scope.graph({
          a: { run: async () => 1 },
          b: { after: ['c'], run: async () => 1 },
          c: { after: ['b', 'a'], run: async () => 1 },
        }),
      /wait for each other.*«b», «c»/,
    ],
    [
      'a key that is used already',
      async (scope) => {
        await scope.step({ key: 'a' }, async () => 1);
        await scope.graph({ a: { run: async () => 1 } });
      },
      /the key «a» is used twice/,
    ],
  ];

  test.for(broken)('[E16] with %s is refused before anything of it is shown', async ([, draw, says]) => {
    const { stage, run } = await play(flowOf(async (scope) => String(await draw(scope))));
    const tree = await stage.tree(run);
    expect(tree.ended).toMatchObject({ outcome: 'failed', failure: { code: 'malformed' } });
    expect(tree.ended?.failure?.message).toMatch(says);
    expect((await stage.entries(run)).map(({ event }) => event.type)).not.toContain('step.planned');
  });

  test('[WF7] begins nothing once what is vital has failed, also after a recovery, and what had begun goes on', async () => {
    const flow = flowOf(async (scope) => {
      const done = await scope.graph({
        ask: { run: async (inner) => (await inner.ask({ key: 'q', title: 'Go on?' })).decision },
        bad: { vital: true, run: () => Promise.reject(new RunError('unavailable', 'It is down.')) },
        next: { after: ['ask'], run: async () => 'never' },
        free: { after: ['bad'], run: async () => 'never' },
      });
      return Object.entries(done)
        .map(([key, { outcome }]) => `${key} ${outcome}`)
        .join(', ');
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow] });
    const run = await stage.start(first, flow);
    await first.quit();
    stage.hire({ flows: [flow] });
    await stage.decide(run, { decision: 'approve' });
    const tree = await stage.tree(run);
    expect(tree.notices).toEqual([]);
    expect(tree.ended?.answer).toBe('ask completed, bad failed, next skipped, free skipped');
    expect(shown(tree).at(-1)).toBe('free skipped «bad» failed.');
  });

  test('[WF7] begins what may begin soon when it wants to, and lets the others go on', async () => {
    const { work, node, end } = workshop();
    const flow = flowOf(async (scope) => {
      const done = await scope.graph({
        slow: node('slow'),
        quick: node('quick'),
        join: {
          after: ['slow', 'quick'],
          soon: (before) => Object.keys(before).length > 0,
          run: async (_, before) => Object.keys(before).join(),
        },
      });
      return JSON.stringify(done.join);
    });
    const { stage, run } = await play(flow, [work]);
    await end('quick');
    expect(shown(await stage.tree(run))).toEqual(['slow running', 'quick completed', 'join completed']);
    await end('slow');
    expect((await stage.tree(run)).ended?.answer).toBe('{"outcome":"completed","result":"quick"}');
  });

  test('[E43] that is paused begins nothing, skips nothing, and goes on where it was', async () => {
    const { work, node, end } = workshop();
    const flow = flowOf(async (scope) => {
      await scope.graph({
        a: node('a'),
        b: node('b', { after: ['a'] }),
        c: { after: ['a'], unless: () => 'no', run: async () => 1 },
      });
      return 'done';
    });
    const { stage, run } = await play(flow, [work]);
    await stage.send(run, { type: 'pause', by: 'ann' });
    await end('a');
    expect(shown(await stage.tree(run))).toEqual(['a completed', 'b pending', 'c pending']);
    await stage.send(run, { type: 'resume', by: 'ann' });
    expect(shown(await stage.tree(run))).toEqual(['a completed', 'b running', 'c skipped no']);
    await end('b');
    expect((await stage.tree(run)).ended?.answer).toBe('done');
  });
});

describe('what was planned', () => {
  test('[E330] is shown at once where it is of the whole run', async () => {
    const offered: string[] = [];
    const stage = new Stage((now) => {
      const store = memoryStore({ now });
      const offer: Store['journal']['offer'] = (appender, haste) => {
        offered.push(haste === 'none' ? 'later' : 'at once');
        store.journal.offer?.(appender, haste);
      };
      return { ...store, journal: { ...store.journal, offer } };
    });
    const flow = flowOf(async (scope) => {
      scope.notice('ONE', 'One.');
      scope.plan([{ key: 'p', title: 'P' }]);
      await new Promise((resolve) => setImmediate(resolve));
      await scope.step({ key: 'p' }, async (inner) => {
        await new Promise((resolve) => setImmediate(resolve));
        inner.plan([{ key: 'q', title: 'Q' }]);
        await new Promise((resolve) => setImmediate(resolve));
        offered.push('over');
      });
      return 'done';
    });
    await stage.start(stage.hire({ flows: [flow] }), flow);
    expect(offered.slice(0, offered.indexOf('over'))).toEqual(['later', 'at once', 'later', 'later']);
  });

  test('[E330] is shown right after what is under way, if something is', async () => {
    const offered: Haste[] = [];
    let isSlow = false;
    let answer = (): void => {};
    const stage = new Stage((now) => {
      const store = memoryStore({ now });
      const offer: Store['journal']['offer'] = (appender, haste) => {
        offered.push(haste);
        const durable = (): void => {
          if (isSlow) answer = () => appender.durable();
          else appender.durable();
        };
        const { run } = appender;
        const slow = { run, durable, next: () => appender.next(), failed: appender.failed.bind(appender) };
        store.journal.offer?.(slow, haste);
      };
      return { ...store, journal: { ...store.journal, offer } };
    });
    const flow = flowOf(async (scope) => {
      isSlow = true;
      scope.notice('ONE', 'One.');
      await new Promise((resolve) => setImmediate(resolve));
      scope.plan([{ key: 'p', title: 'P' }]);
      isSlow = false;
      offered.splice(0);
      answer();
      await new Promise((resolve) => setImmediate(resolve));
      return offered.join(' ');
    });
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    expect((await stage.tree(run)).ended?.answer).toBe('great');
  });

  test('[E18] can be skipped with a reason, once, and what was not planned cannot', async () => {
    const flow = flowOf(async (scope) => {
      scope.plan([{ key: 'later', title: 'Later' }]);
      scope.skip('later', 'Nobody needs it.');
      scope.skip('never', 'It is not there.');
      return 'done';
    });
    const { stage, run } = await play(flow);
    const tree = await stage.tree(run);
    expect(shown(tree)).toEqual(['later skipped Nobody needs it.']);
    expect(tree.ended?.failure?.message).toBe('«never» was not planned here, so it cannot be skipped.');
  });

  const asks = async (scope: Scope): Promise<string> =>
    (await scope.ask({ key: 'q', title: 'Go on?' })).decision;
  const plans = (scope: Scope): void => scope.plan([{ key: 'p', title: 'P' }]);
  const skips = async (scope: Scope): Promise<string> => {
    plans(scope);
    scope.skip('p', 'no');
    return asks(scope);
  };
  const enters = async (scope: Scope): Promise<string> => {
    plans(scope);
    await scope.step({ key: 'p' }, async () => 1);
    return asks(scope);
  };
  const forgets = async (scope: Scope): Promise<string> => {
    plans(scope);
    return asks(scope);
  };

  test.for([
    ['skipped and then entered', skips, enters, /comes to «p», which was skipped/],
    ['entered and then skipped', enters, skips, /skips «p», which was recorded as begun/],
    ['skipped and then forgotten', skips, forgets, /no longer comes to «p»|without «p»/],
  ] as const)('[E18 E35 E37] and is %s has diverged', async ([, before, now, says]) => {
    const stage = new Stage();
    const first = stage.hire({ flows: [flowOf(before)] });
    const [flow] = first.world.catalog.flows;
    const run = await stage.start(first, flow as Flow);
    await first.quit();
    stage.hire({ flows: [flowOf(now)] });
    await stage.decide(run, { decision: 'approve' });
    const tree = await stage.tree(run);
    expect(tree.paused).toBe(true);
    expect(tree.notices.map(({ code }) => code)).toContain('FLOW_DIVERGED');
    expect(tree.notices.at(-1)?.message).toMatch(says);
  });
});

interface Drawn {
  readonly after: readonly number[];
  /** How many moments its work takes. */
  readonly takes: number;
  readonly fails: boolean;
  readonly isNeedy: boolean;
}

const anyGraph = fc.array(
  fc.record({
    after: fc.array(fc.nat({ max: 11 }), { maxLength: 3 }),
    takes: fc.nat({ max: 12 }),
    fails: fc.nat({ max: 3 }).map((n) => n === 0),
    isNeedy: fc.boolean(),
  }),
  { minLength: 2, maxLength: 12 },
);

function flowDrawn(drawn: readonly Drawn[]): Flow {
  return flowOf(async (scope) => {
    const nodes = Object.fromEntries(
      drawn.map(({ after, takes, fails, isNeedy }, i): [string, Node<string>] => {
        const earlier = [...new Set(after.filter((other) => other < i).map((other) => `n${other}`))];
        return [
          `n${i}`,
          {
            after: earlier,
            unless: (before) =>
              isNeedy && Object.values(before).some(({ outcome }) => outcome !== 'completed')
                ? 'not there'
                : undefined,
            run: async (inner) => {
              const { outcome } = await inner.call('note', { n: i, takes });
              inner.say(`n${i} noted`);
              if (fails) throw new RunError('unavailable', `n${i} is down.`);
              await inner.call('note', { n: i, takes: 12 - takes, second: true });
              return outcome;
            },
          },
        ];
      }),
    );
    const done = await scope.graph(nodes);
    scope.say('All are settled.');
    return Object.entries(done)
      .map(([key, { outcome }]) => `${key} ${outcome}`)
      .join(', ');
  });
}

function worldOf(flow: Flow) {
  const notes: string[] = [];
  const note = toolOf(
    'note',
    async (input) => {
      const { n, takes, second } = input as { n: number; takes: number; second?: boolean };
      for (let i = 0; i < takes; i += 1) await new Promise((resolve) => setImmediate(resolve));
      notes.push(`${n}${second ? ' again' : ''}`);
      return n;
    },
    { effect: 'idempotent' },
  );
  return { world: testWorld({ flows: [flow], tools: [note] }), notes };
}

test('[E16 E17 E20 E36] any graph taken over after every commit goes on as it would have', async () => {
  const seen = { graphs: 0, cuts: 0, skipped: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(anyGraph, async (drawn) => {
      const flow = flowDrawn(drawn);
      const whole = worldOf(flow);
      const engine = new Engine(whole.world, 'w1');
      const { run } = await startRun(engine, flow);
      await engine.idle();
      const expected = await treeOf(whole.world.store, run);
      expect(expected.ended?.outcome).toBe('completed');
      expectPrompt(await entriesOf(whole.world.store, run), drawn);
      const chunks = await whole.world.store.journal.read(run, 0);
      seen.graphs += 1;
      for (let kept = 1; kept < chunks.length; kept += 1) {
        const again = worldOf(flow);
        const known = chunks.slice(0, kept);
        const entries = known.flatMap(({ frames }) => decodeAll(frames));
        await again.world.store.dispatch.create({
          run: 'run_again',
          tenant: 'local',
          conversation: 'c',
          app: 'test',
          title: 'again',
          flow: `${flow.name}@${flow.version}`,
          last: entries.length,
          frames: known.map(({ frames }) => frames).join(''),
        });
        const next = new Engine(again.world, 'w2');
        await next.claim();
        await next.idle();
        const tree = await treeOf(again.world.store, 'run_again');
        expect(tree.notices, `cut after ${kept}`).toEqual([]);
        expect(tree.ended?.answer, `cut after ${kept}`).toBe(expected.ended?.answer);
        expect(shown(tree)).toEqual(shown(expected));
        seen.cuts += 1;
      }
      seen.skipped += shown(expected).filter((line) => line.includes('skipped')).length;
      seen.failed += shown(expected).filter((line) => line.includes('failed')).length;
    }),
    { numRuns: 25, seed: 11 },
  );
  expect(seen.cuts).toBeGreaterThan(200);
  expect(seen.skipped).toBeGreaterThan(4);
  expect(seen.failed).toBeGreaterThan(10);
});

/** Each is opened or skipped before anything else closes, once all it comes after are settled. */
function expectPrompt(entries: readonly Entry[], drawn: readonly Drawn[]): void {
  const lines = course(entries);
  drawn.forEach(({ after }, i) => {
    const earlier = after.filter((other) => other < i).map((other) => `n${other}`);
    const settledAt = Math.max(
      -1,
      ...earlier.map((key) =>
        lines.findIndex((line) => line.startsWith(`${key} `) && !line.endsWith('opened')),
      ),
    );
    const begunAt = lines.findIndex((line) => line.startsWith(`n${i} `));
    const between = lines.slice(settledAt + 1, begunAt).filter((line) => /completed|failed/.test(line));
    expect(between, `n${i} in ${lines.join('; ')}`).toEqual([]);
  });
}
