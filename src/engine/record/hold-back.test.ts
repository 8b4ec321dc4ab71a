import { describe, expect, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { tracesOf } from '../../../test/secrets.ts';
import { ended, entriesOf, flowOf, startRun, testWorld, toolOf, treeOf, until } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { AgentEvent } from '../../gateways/gateway.ts';
import { redacted } from '../../guards/guard.ts';

import { Secrets } from '../../guards/secrets.ts';
import type { RunEvent } from '../../run/events.ts';
import { flatTree } from '../../run/flat-tree.ts';
import { foldAll } from '../../run/entries.ts';
import { textOf } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import { Engine } from '../../../test/engine.ts';
import { HoldBack } from './hold-back.ts';
import type { Scope } from '../scope.ts';

const secret = 'sk-"0123456789"abcdef';
const large = 'x'.repeat(40_000);

function agentSaying(events: readonly AgentEvent[], more: Partial<Agent> = {}): Agent {
  const gateway = {
    async *takeTurn() {
      for (const event of events) yield [event];
    },
  };
  return { name: 'agent', description: '', effect: 'pure', gateway, ...more };
}

/** Say something in pieces, cut anywhere. */
function inPieces(text: string, cut: number): readonly string[] {
  return [text.slice(0, cut), text.slice(cut)];
}

function expectNone(heard: readonly string[], hidden = secret): void {
  for (const form of tracesOf(hidden)) for (const text of heard) expect(text).not.toContain(form);
}

interface Playing {
  readonly run: (scope: Scope, text: string) => Promise<string>;
  readonly agents?: readonly Agent[];
  readonly tools?: readonly ReturnType<typeof toolOf>[];
  readonly input?: string;
}

async function played({ run, agents = [], tools = [], input = 'hello' }: Playing) {
  const { store, heard } = listening();
  const flow = flowOf(run);
  const world = testWorld({ flows: [flow], agents, tools }, { store, secrets: new Secrets([secret]) });
  const engine = new Engine(world, 'w');
  const started = await startRun(engine, flow, {
    input: { text: input, attachments: [{ type: 'text/plain', title: input, data: input }] },
    labels: { of: input },
  });
  return { store, heard, engine, world, run: started.run };
}

describe('nothing secret is recorded', () => {
  test('[K7] [S35] whatever a flow, a tool, an agent or a person says, small or large', async () => {
    const tool = toolOf('leak', async (input, context) => {
      context.say(`log ${secret}`);
      context.attach({ kind: 'citation', title: secret, quote: secret });
      await context.ask?.({ title: secret, message: secret, schema: { type: 'string', title: secret } });
      return { input, of: `${large}${secret}`, [secret]: 1 };
    });
    const failing = toolOf('fail', () => Promise.reject(new Error(secret)));
    const agent = agentSaying(
      [
        { type: 'text.appended', text: secret },
        { type: 'text.appended', text: secret, channel: 'reasoning' },
        { type: 'call.appended', call: secret, tool: secret, text: JSON.stringify({ a: secret }) },
        { type: 'item.attached', item: { kind: 'action', name: secret, data: { secret } } },
        { type: 'state.reported', state: { a: secret, large: `${large}${secret}` } },
        { type: 'notice.posted', code: 'SAID', message: secret },
        { type: 'stage.opened', stage: secret, title: secret, query: secret },
        { type: 'stage.titled', stage: secret, text: secret },
        { type: 'stage.appended', stage: secret, text: secret },
        { type: 'stage.closed', stage: secret, outcome: 'completed' },
        { type: 'stage.appended', stage: secret, text: secret },
        { type: 'turn.retried', reason: secret },
      ],
      { state: 'restore', effect: 'once' },
    );
    const playing = await played({
      input: `${large} ${secret}`,
      tools: [tool, failing],
      agents: [agent],
      run: async (scope, text) => {
        expect(text).toBe(`${large} ${redacted}`);
        scope.plan([{ key: 'planned', title: secret }]);
        scope.phase({ phase: 'tool_phase', batch: 1, cycle: 1, reason: secret });
        scope.say(secret);
        scope.say(secret, 'reasoning');
        scope.say(secret, 'log');
        scope.attach({ kind: 'visualization', shape: 'table', data: { rows: [[secret]] } });
        scope.notice('SAID', secret);
        scope.save('me', 'restore', { secret });
        const result = await scope.step(
          { key: 's', title: secret, query: secret, reasoning: secret },
          async () => ({
            a: secret,
            b: `${large}${secret}`,
          }),
        );
        expect(result).toEqual({ a: redacted, b: `${large}${redacted}` });
        const failed = scope.step({ key: 'f' }, () => Promise.reject(new Error(secret)));
        await expect(failed).rejects.toThrow();
        await scope.call('leak', { a: secret, b: large });
        await scope.call('fail', { a: secret });
        await scope.turn('agent', { messages: [{ role: 'user', text: secret }] });
        await scope.ask({ key: 'q', title: secret, message: secret, arguments: { secret } });
        return `${large}${secret}`;
      },
    });
    const { store, run, engine, heard } = playing;
    const over = new AbortController();
    const working = engine.work(over.signal);
    const answer = async (place: number, more: object): Promise<void> => {
      const approval = `${run}.a${place}`;
      const asked = await until(store, run, ({ approvals }) => approvals.has(approval));
      await engine.send(run, { type: 'message', by: 'me', text: secret });
      await engine.send(run, { type: 'pause', by: 'me', reason: secret });
      await engine.send(run, { type: 'resume', by: 'me', reason: secret });
      await engine.send(run, {
        type: 'decide',
        by: 'me',
        approval,
        fingerprint: asked.approvals.get(approval)?.fingerprint ?? '',
        decision: 'approve',
        rationale: secret,
        ...more,
      });
      await until(store, run, ({ approvals }) => approvals.get(approval)?.decided !== undefined);
    };
    await answer(1, { answer: secret });
    await answer(2, {});
    const tree = await ended(store, run);
    over.abort();
    await working;
    expect(tree.ended).toMatchObject({ outcome: 'completed' });
    expectNone(heard);
    expectNone([JSON.stringify(flatTree(tree, run))]);
    expect(tree.steps.get(0)?.notices.map(({ code }) => code)).toContain('SECRET_REDACTED');
  });

  test.for(['content', 'reasoning'] as const)('[K8] [S36] in whatever pieces %s comes', async (channel) => {
    for (let cut = 0; cut <= secret.length; cut += 1) {
      const pieces = inPieces(secret, cut).map((text): AgentEvent => ({
        type: 'text.appended',
        channel,
        text,
      }));
      const agent = agentSaying([{ type: 'text.appended', channel, text: 'so ' }, ...pieces]);
      const { store, run, heard } = await played({
        agents: [agent],
        run: async (scope) => (await scope.turn('agent', { messages: [] })).text,
      });
      const tree = await ended(store, run);
      expectNone([...heard, JSON.stringify(flatTree(tree, run))]);
      const [step] = [...tree.steps.values()].filter(({ kind }) => kind === 'turn');
      expect(step && textOf(step, channel)).toBe(`so ${redacted}`);
      expect(step?.notices).toMatchObject([{ code: 'SECRET_REDACTED' }]);
    }
  });

  test('[K8] [S36] in pieces of arguments, of stages, of titles and of what flows and tools say', async () => {
    for (let cut = 0; cut <= secret.length; cut += 1) {
      const [one = '', two = ''] = inPieces(secret, cut);
      const json = JSON.stringify({ a: secret });
      const [first = '', second = ''] = inPieces(json, cut + 6);
      const agent = agentSaying([
        { type: 'call.appended', call: 'c', tool: 't', text: first },
        { type: 'call.appended', call: 'd', tool: 't', text: first },
        { type: 'call.appended', call: 'c', text: second },
        { type: 'call.appended', call: 'd', text: second },
        { type: 'stage.opened', stage: '1', title: one },
        { type: 'stage.appended', stage: '1', text: one },
        { type: 'stage.titled', stage: '1', text: two },
        { type: 'item.attached', item: { kind: 'action', name: 'n', data: 1 } },
        { type: 'stage.appended', stage: '1', text: two },
        { type: 'stage.closed', stage: '1', outcome: 'completed' },
      ]);
      const tool = toolOf('t', (_, context) => {
        context.say(one);
        context.say(two);
        return null;
      });
      const { store, run, heard } = await played({
        agents: [agent],
        tools: [tool],
        run: async (scope) => {
          scope.say(one);
          scope.say(two);
          const { calls } = await scope.turn('agent', { messages: [] });
          expect(calls.map(({ arguments: given }) => given)).toEqual([
            `{"a":"${redacted}"}`,
            `{"a":"${redacted}"}`,
          ]);
          await scope.call('t', {});
          return '';
        },
      });
      const tree = await ended(store, run);
      expectNone([...heard, JSON.stringify(flatTree(tree, run))]);
      for (const { title, text } of flatTree(tree, run).steps)
        for (const said of [title, JSON.stringify(text ?? '')])
          expect(said).not.toContain(secret.slice(0, 8));
    }
  });

  test('[K8] what begins like a secret and is none comes whole, and before what comes after it', async () => {
    const agent = agentSaying([
      { type: 'text.appended', channel: 'reasoning', text: 'task s' },
      { type: 'text.appended', text: 'an answer s' },
      { type: 'item.attached', item: { kind: 'action', name: 'n', data: 1 } },
      { type: 'text.appended', text: 'k-"01234x' },
      { type: 'text.appended', text: ' ends in sk-"0123' },
    ]);
    const { store, run } = await played({
      agents: [agent],
      run: async (scope) => (await scope.turn('agent', { messages: [] })).text,
    });
    const tree = await ended(store, run);
    expect(tree.ended?.answer).toBe('an answer sk-"01234x ends in sk-"0123');
    const told = (await entriesOf(store, run)).flatMap(({ event }) =>
      event.type === 'text.appended' ? [event.text] : event.type === 'item.attached' ? ['item'] : [],
    );
    expect(told).toEqual(['task ', 's', 'an answer ', 's', 'item', 'k-"01234x', ' ends in ', 'sk-"0123']);
  });
});

describe('what runs is what was recorded', () => {
  test('[K9] arguments that held a secret run with a mark in its place, and a notice says so', async () => {
    const ran: Json[] = [];
    const tool = toolOf('t', (input) => (ran.push(input), null));
    const asking = agentSaying([
      { type: 'call.appended', call: 'c', tool: 't', text: JSON.stringify({ a: secret }) },
    ]);
    const { store, run } = await played({
      agents: [asking],
      tools: [tool],
      run: async (scope) => {
        const { calls } = await scope.turn('agent', { messages: [] });
        for (const { tool: name, arguments: given } of calls)
          await scope.call(name, JSON.parse(given) as Json);
        await scope.call('t', { b: secret }, { key: 'own' });
        return '';
      },
    });
    const tree = await ended(store, run);
    expect(ran).toEqual([{ a: redacted }, { b: redacted }]);
    const calls = [...tree.steps.values()].filter(({ kind }) => kind === 'call');
    expect(calls.map(({ call }) => call?.arguments)).toEqual(ran);
    for (const { notices } of calls) expect(notices.map(({ code }) => code)).toEqual(['SECRET_REDACTED']);
  });
});

describe('after a crash', () => {
  test('[K10] what a flow said is neither lost nor said twice, wherever it was cut and whatever waited', async () => {
    for (let cut = 0; cut <= secret.length; cut += 1) {
      const [one = '', two = ''] = inPieces(secret, cut);
      const { store, heard } = listening();
      const flow = flowOf(async (scope) => {
        scope.say(`first ${one}`);
        scope.attach({ kind: 'action', name: 'n', data: 1 });
        await scope.ask({ key: 'q', title: 'q' });
        scope.say(`${two} then `);
        scope.say('last sk-"0');
        return '';
      });
      const world = testWorld({ flows: [flow] }, { store, secrets: new Secrets([secret]) });
      const before = new Engine(world, 'before');
      const { run } = await startRun(before, flow);
      await before.idle();
      const after = new Engine(world, 'after');
      const approval = `${run}.a1`;
      const { fingerprint = '' } = (await treeOf(store, run)).approvals.get(approval) ?? {};
      await after.send(run, { type: 'decide', by: 'me', approval, fingerprint, decision: 'approve' });
      await after.claim(run);
      const tree = await ended(store, run);
      expectNone([...heard, JSON.stringify(flatTree(tree, run))]);
      const root = tree.steps.get(0);
      const crumb = cut < 4 ? one : '';
      expect(root && textOf(root)).toBe(`first ${crumb}${redacted} then last sk-"0`);
      expect(root?.items).toHaveLength(1);
    }
  });

  test('[K10] a turn that is cut off while text waits is told again', async () => {
    const enough = Promise.withResolvers<void>();
    let turns = 0;
    const agent: Agent = {
      name: 'agent',
      description: '',
      effect: 'pure',
      gateway: {
        async *takeTurn() {
          turns += 1;
          yield [{ type: 'text.appended', text: 'it is sk-"0123' }];
          if (turns === 1) {
            enough.resolve();
            await new Promise(() => {});
          }
          yield [{ type: 'text.appended', text: '456789' }];
        },
      },
    };
    const { store, run, engine, world } = await played({
      agents: [agent],
      run: async (scope) => (await scope.turn('agent', { messages: [] })).text,
    });
    const over = new AbortController();
    const working = engine.work(over.signal);
    await enough.promise;
    over.abort();
    await working;
    expect(JSON.stringify(await entriesOf(store, run))).not.toContain('0123');
    await new Engine(world, 'after').claim(run);
    expect((await ended(store, run)).ended?.answer).toBe('it is sk-"0123456789');
  });
});

test('[K8] each kind of event comes out once, and without a secret', () => {
  const heard: RunEvent[] = [];
  const tree = foldAll([]);
  const holdBack = new HoldBack(new Secrets([secret]), tree, (event) => void heard.push(event));
  const events: readonly RunEvent[] = [
    { type: 'run.paused', by: 'me', reason: secret },
    { type: 'run.resumed', by: 'me', reason: secret },
    { type: 'stop.requested', by: 'me', reason: secret },
    { type: 'step.planned', step: 1, parent: 0, key: 'k', kind: 'step', title: secret },
    {
      type: 'step.opened',
      step: 1,
      parent: 0,
      key: 'k',
      kind: 'step',
      title: secret,
      model: secret,
      icon: secret,
    },
    { type: 'step.opened', step: 2, parent: 1, key: 'o', kind: 'stage', title: secret, origin: secret },
    { type: 'phase.entered', step: 1, phase: 'complete', batch: 1, cycle: 1, reason: secret },
    { type: 'title.appended', step: 1, text: secret },
    { type: 'text.appended', step: 1, channel: 'log', text: secret },
    { type: 'text.appended', step: 1, channel: 'arguments', text: secret, call: secret, tool: secret },
    { type: 'item.attached', step: 1, item: { kind: 'citation', title: secret } },
    { type: 'notice.posted', step: 1, code: 'N', message: secret },
    {
      type: 'approval.requested',
      approval: 'a',
      step: 1,
      title: secret,
      message: secret,
      arguments: { secret },
      schema: { title: secret },
      fingerprint: 'f',
      priority: 'low',
      allowed: [],
    },
    {
      type: 'approval.decided',
      approval: 'a',
      decision: 'edit',
      by: 'me',
      rationale: secret,
      arguments: [secret],
    },
    { type: 'step.retried', step: 1, attempt: 2, reason: secret },
    { type: 'state.saved', step: 1, agent: 'a', strategy: 's', state: secret },
    { type: 'message.queued', message: 'm', text: secret, by: 'me' },
    { type: 'step.closed', step: 1, outcome: 'failed', failure: { code: 'internal', message: secret } },
    { type: 'unknown', kind: 'k', original: secret },
    { type: 'run.ended', outcome: 'completed', answer: secret, usage: { input: 0, output: 0 } },
  ];
  for (const event of events) holdBack.pass(event);
  const told = heard.filter((event) => event.type !== 'notice.posted' || event.code === 'N');
  expect(told.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
  for (const event of told) expect(JSON.stringify(event)).toContain(redacted);
  expectNone(heard.map((event) => JSON.stringify(event)));
});
