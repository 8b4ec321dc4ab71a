import { describe, expect, test } from 'vitest';
import { Engine } from '../../../test/engine.ts';
import { personalValues } from '../../../test/guarded.ts';
import { listening } from '../../../test/listening.ts';
import { seedOf, sized } from '../../../test/long.ts';
import { ended, flowOf, startRun, testWorld, toolOf, treeOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { AgentEvent } from '../../gateways/gateway.ts';
import { flatTree } from '../../run/flat-tree.ts';
import { termsFor } from '../../run/facts.ts';
import { localTenant } from '../../run/owner.ts';
import { textOf, type RunTree } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Scope } from '../scope.ts';
import { guardedEvent } from './guarded-event.ts';

const pii = { guard: 'pii' };
const large = 'x '.repeat(20_000);

function agentSaying(events: readonly AgentEvent[], more: Partial<Agent> = {}): Agent {
  const gateway = {
    async *takeTurn() {
      for (const event of events) yield [event];
    },
  };
  return { name: 'agent', description: '', effect: 'pure', gateway, ...more };
}

interface Playing {
  readonly guards: Json;
  readonly run: (scope: Scope, text: string) => Promise<string>;
  readonly agents?: readonly Agent[];
  readonly tools?: readonly ReturnType<typeof toolOf>[];
  readonly input?: string;
}

async function played({ guards, run, agents = [], tools = [], input = 'hello' }: Playing) {
  const { store, heard } = listening();
  const flow = flowOf(run);
  const world = testWorld({ flows: [flow], agents, tools }, { store });
  const engine = new Engine(world, 'w');
  const body: Json = { guards };
  const { blob: hash } = await store.blobs.put({ tenant: localTenant, run: '' }, JSON.stringify(body));
  heard.length = 0;
  const definition = { tenant: localTenant, hash, body };
  const started = await startRun(engine, flow, { input: { text: input }, definition, conversation: 'c' });
  return { store, heard, engine, world, flow, definition, run: started.run };
}

function turnOf(tree: RunTree) {
  return [...tree.steps.values()].find(({ kind }) => kind === 'turn');
}

function expectNone(texts: readonly string[], value: string): void {
  for (const text of texts) expect(text).not.toContain(value);
}

const cuts = (value: string): readonly number[] => {
  const all = Array.from({ length: value.length + 1 }, (_, i) => i);
  return all.filter((cut) => cut % sized(5, 1) === 0 || cut === 1 || cut === value.length - 1);
};

describe('what guards of a run find is recorded nowhere', () => {
  test('[GD10] in whatever pieces it comes: text, reasoning, arguments, stages, titles, items, results', async () => {
    const values = personalValues(sized(10, 1_000), seedOf('guarded runs'));
    let runs = 0;
    for (const { value, category } of values)
      for (const cut of cuts(value)) {
        const [one, two] = [value.slice(0, cut), value.slice(cut)];
        const json = JSON.stringify({ a: value });
        const agent = agentSaying(
          [
            { type: 'text.appended', text: 'it is ' },
            { type: 'text.appended', text: one },
            { type: 'text.appended', channel: 'reasoning', text: `so ${one}` },
            { type: 'text.appended', text: two },
            { type: 'text.appended', channel: 'reasoning', text: `${two}.` },
            { type: 'call.appended', call: 'c', tool: 't', text: json.slice(0, cut + 6) },
            { type: 'call.appended', call: 'c', text: json.slice(cut + 6) },
            { type: 'stage.opened', stage: value, title: one, query: value },
            { type: 'stage.titled', stage: value, text: two },
            { type: 'stage.appended', stage: value, text: one },
            { type: 'stage.appended', stage: value, text: two },
            { type: 'stage.closed', stage: value, outcome: 'completed' },
            { type: 'item.attached', item: { kind: 'citation', title: value, quote: `q ${value}` } },
            {
              type: 'item.attached',
              item: { kind: 'attachment', attachment: { type: 'text/plain', title: value, data: value } },
            },
            { type: 'state.reported', state: { a: value } },
            { type: 'notice.posted', code: 'SAID', message: value },
          ],
          { state: 'restore' },
        );
        const tool = toolOf('t', (_, context) => {
          context.say(`log ${one}`);
          context.say(two);
          context.attach({ kind: 'visualization', shape: 'table', data: { rows: [[one, two], [value]] } });
          return { [value]: value, list: [value], large: `${cut === 0 ? large : ''}${value}` };
        });
        const failing = toolOf('fail', () => Promise.reject(new Error(value)));
        const { store, run, heard } = await played({
          guards: { output: [pii], covers: 'everything' },
          agents: [agent],
          tools: [tool, failing],
          run: async (scope) => {
            scope.plan([{ key: 'p', title: value }]);
            scope.notice('SAID', value);
            await scope.step({ key: 'p', title: value, query: value, reasoning: value }, async () => ({
              value,
            }));
            const { text, calls } = await scope.turn('agent', { messages: [{ role: 'user', text: value }] });
            for (const { arguments: given } of calls) await scope.call('t', JSON.parse(given) as Json);
            await scope.call('fail', { a: value });
            return `${text} ${value}`;
          },
        });
        const tree = await ended(store, run);
        runs += 1;
        expect(tree.ended?.answer).toMatch(new RegExp(`^it is .{0,3}\\[${category}\\] \\[${category}\\]$`));
        expectNone([...heard, JSON.stringify(flatTree(tree, run))], value);
        const turn = turnOf(tree);
        expect(turn && textOf(turn, 'reasoning')).toMatch(/^so .{0,3}\[\w+\]\.$/);
        expect(turn?.notices.map(({ code }) => code)).toContain('GUARD_REDACTED');
      }
    expect(runs).toBeGreaterThanOrEqual(sized(40, 10_000));
  });

  test('[GD10] a number that says it is found as a text is', async () => {
    const tool = toolOf('t', () => ({ card: 4111111111111111, size: 4111111111111112, of: 12 }));
    const { store, run, heard } = await played({
      guards: { output: [pii], covers: 'everything' },
      tools: [tool],
      run: async (scope) => JSON.stringify(await scope.call('t', {})),
    });
    const tree = await ended(store, run);
    expectNone(heard, '4111111111111111');
    expect(tree.ended?.answer).toContain('"card":"[card]","size":4111111111111112,"of":12');
  });

  test('[GD11] `covers: answer` looks at what is said to people in the end, large or small, and at nothing else', async () => {
    const value = 'ana@example.org';
    for (const more of ['', large]) {
      const agent = agentSaying([
        { type: 'text.appended', text: `${more}mail ana@exam` },
        { type: 'text.appended', text: 'ple.org' },
      ]);
      const { store, run, heard } = await played({
        guards: { output: [pii] },
        agents: [agent],
        run: async (scope) => {
          const inner = await scope.step({ key: 'work', title: 'work' }, (work) =>
            work.turn('agent', { messages: [] }),
          );
          expect(inner.text).toContain(value);
          heard.length = 0;
          const { text } = await scope.turn('agent', { messages: [] });
          scope.say(`said ${value}`);
          expect(text).toBe(`${more}mail [email]`);
          return `${more}it is ${value}`;
        },
      });
      const tree = await ended(store, run);
      expectNone(heard, value);
      expect(JSON.stringify(tree.ended?.answer)).toContain(more === '' ? 'it is [email]' : 'x x');
      expect(tree.steps.get(0)?.notices.map(({ code }) => code)).toEqual(['GUARD_REDACTED']);
    }
  });

  test('[GD12] what blocks ends the turn there: nothing more of it is read, and the flow is told', async () => {
    let read = 0;
    const agent = agentSaying([]);
    const gateway = {
      async *takeTurn() {
        for (const text of ['a robin and ', 'a kes', 'trel ', 'and much', ' more']) {
          read += 1;
          yield [{ type: 'text.appended', text } as const];
        }
      },
    };
    const { store, run } = await played({
      guards: { output: [{ guard: 'rules', text: 'BLOCK: kestrel' }] },
      agents: [{ ...agent, gateway }],
      run: async (scope) => {
        const { text, finish } = await scope.turn('agent', { messages: [] });
        return `${text} (${finish})`;
      },
    });
    const tree = await ended(store, run);
    expect(read).toBe(3);
    expect(tree.ended?.answer).toBe('a robin and a [blocked: rule 1] (cut)');
    expect(turnOf(tree)?.notices.map(({ code }) => code)).toContain('GUARD_BLOCKED');
  });

  test('[GD8] an answer that somebody judges waits until it is whole', async () => {
    const { store, run, engine } = await played({
      guards: { output: [{ guard: 'judge', agent: 'j', text: 'be kind' }] },
      run: async (scope) => {
        scope.say('a first part, ');
        await scope.ask({ key: 'q', title: 'q' });
        return '';
      },
    });
    await engine.idle();
    const root = (await treeOf(store, run)).steps.get(0);
    expect(root && textOf(root)).toBe('');
  });

  test('[GD13] also after a restart: the definition a run began with is recorded', async () => {
    const value = 'ana@example.org';
    const { store, heard, engine, world, run } = await played({
      guards: { output: [pii], covers: 'everything' },
      run: async (scope) => {
        scope.say('mail ana@exam');
        await scope.ask({ key: 'q', title: 'q' });
        scope.say('ple.org, ');
        await scope.step({ key: 's', title: value }, async () => value);
        return value;
      },
    });
    await engine.idle();
    const asked = await treeOf(store, run);
    const [approval] = [...asked.approvals.keys()];
    const after = new Engine(world, 'after');
    const fingerprint = asked.approvals.get(approval ?? '')?.fingerprint ?? '';
    await after.send(run, {
      type: 'decide',
      by: 'me',
      approval: approval ?? '',
      fingerprint,
      decision: 'approve',
    });
    await after.claim(run);
    const tree = await ended(store, run);
    expectNone([...heard, JSON.stringify(flatTree(tree, run))], value);
    const root = tree.steps.get(0);
    expect(root && textOf(root)).toBe('mail [email], ');
    expect(tree.ended?.answer).toBe('[email]');
  });

  test('[GD30] what a person agreed to is said, also after a restart, and nothing else', async () => {
    const { store, engine, world, run } = await played({
      guards: {
        output: [
          { guard: 'pii', action: 'ask' },
          { guard: 'rules', text: 'Nightjar' },
        ],
      },
      run: async (scope) => {
        const { decision } = await scope.step({ key: 's' }, (inner) => inner.ask({ key: 'q', title: 'q' }));
        if (decision === 'approve') scope.letPass();
        await scope.ask({ key: 'again', title: 'again' });
        return 'Mail ana@example.org about Nightjar.';
      },
    });
    for (const name of ['one', 'other']) {
      await engine.idle();
      const { approvals } = await treeOf(store, run);
      const asked = [...approvals.values()].find(({ decided }) => decided === undefined);
      const after = new Engine(world, name);
      const { approval = '', fingerprint = '' } = asked ?? {};
      await after.send(run, { type: 'decide', by: 'me', approval, fingerprint, decision: 'approve' });
      await after.claim(run);
      await after.idle();
    }
    expect((await ended(store, run)).ended?.answer).toBe('Mail ana@example.org about [rule 1].');
  });

  test('[GD14] a run whose guards cannot be used does not begin', async () => {
    const playing = played({
      guards: { output: [{ guard: 'rules', text: 'REGEX: (?=a)b' }] },
      run: async () => 'never',
    });
    await expect(playing).rejects.toThrow(/guards of this app cannot be used: output\.0\.text: line 1/);
  });
});

describe('what a person typed', () => {
  test('[GD15] [GD50] stays in their own run: searches and later runs get it without what guards find', async () => {
    const value = 'ana@example.org';
    const guards = { input: [pii], output: [] };
    const run = async (scope: Scope): Promise<string> => JSON.stringify(await scope.history());
    const first = await played({ guards, input: `I am ${value}, hello`, run });
    const { store, engine, flow, definition } = first;
    const before = await ended(store, first.run);
    expect(before.started?.input.text).toBe(`I am ${value}, hello`);
    expect(before.started?.guarded).toBe('I am [email], hello');
    const next = await startRun(engine, flow, { definition, conversation: 'c', input: { text: 'and now?' } });
    const tree = await ended(store, next.run);
    expect(tree.ended?.answer).toContain('I am [email], hello');
    expect(tree.ended?.answer).not.toContain(value);
    const found = async (text: string): Promise<readonly string[]> =>
      (await store.dispatch.list({ tenant: localTenant, terms: termsFor({ text }), limit: 10 })).map(
        (row) => row.run,
      );
    expect(await found('hello')).toContain(first.run);
    expect(await found('example.org')).toEqual([]);
    const sent = await startRun(engine, flow, {
      definition,
      conversation: 'd',
      input: { text: 'go on' },
      history: [
        {
          role: 'user',
          text: `mail ${value}`,
          attachments: [{ type: 'text/plain', title: value, data: `of ${value}` }],
        },
        { role: 'assistant', text: 'yes' },
      ],
    });
    expect((await ended(store, sent.run)).ended?.answer).toContain('mail [email]');
    expect((await ended(store, sent.run)).ended?.answer).toContain('of [email]');
    expect(JSON.stringify(await treeOf(store, sent.run).then(({ started }) => started))).not.toContain(value);
  });
});

test('[GD10] names and words of ours are left as they are, also where a rule finds them', () => {
  const hide = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value).replaceAll('table', 'X').replaceAll('stop', 'X').replaceAll('unknown', 'X'),
    ) as T;
  expect(
    guardedEvent(
      { type: 'item.attached', step: 1, item: { kind: 'visualization', shape: 'table', data: 'table' } },
      hide,
    ),
  ).toEqual({
    type: 'item.attached',
    step: 1,
    item: { kind: 'visualization', shape: 'table', data: 'X' },
  });
  expect(
    guardedEvent(
      {
        type: 'step.closed',
        step: 1,
        outcome: 'failed',
        result: { finish: 'stop', a: 'stop' },
        failure: { code: 'unknown', message: 'unknown' },
      },
      hide,
    ),
  ).toEqual({
    type: 'step.closed',
    step: 1,
    outcome: 'failed',
    result: { finish: 'stop', a: 'X' },
    failure: { code: 'unknown', message: 'X' },
  });
});
