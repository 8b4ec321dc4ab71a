import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { combinedState } from '../../src/run/combined-state.ts';
import type { Json } from '../../src/run/values.ts';
import { startAgents, Talk, type Agents } from './talk.ts';
import { agentNames, type AgentName } from './vitrine.ts';

export interface Subject {
  readonly agent: AgentName;
  /** How often a turn is sent that Vitrine is killed in: what may be repeated is, and the rest is asked about. */
  readonly sentWhenKilled: 1 | 2;
  /** Whether a turn that stood in line gets what the one before it left; facts are read when the message is made. */
  readonly getsWhatItWaitedFor: boolean;
  /** What it adds to the state all agents of a run leave together. */
  readonly leaves: (question: string) => Readonly<Record<string, unknown>>;
}

/** For tests that only one strategy needs. */
export interface Stage {
  readonly agents: Agents;
  readonly talk: Talk;
  /** A question for the agent of this strategy. */
  readonly to: (text: string) => string;
}

/** What every way to remember must stand, over real sockets, processes and files. The agents' own logs are the proof. */
export function strategyContract(subject: Subject, more: (stage: () => Stage) => void = () => {}): void {
  const { agent } = subject;
  const to = (text: string): string => `${agent}> ${text}`;
  let stage: Stage | undefined;
  const now = (): Stage => stage ?? expect.fail('the stage is not set');

  describe(`[K9 K10 K13 K14] state strategy ${agent}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-agents-'));
    let agents: Agents | undefined;
    beforeAll(async () => void (agents = await startAgents(folder)));
    afterAll(async () => {
      for (const name of agentNames) await agents?.[name].end();
      rmSync(folder, { recursive: true, force: true });
    });
    beforeEach(async () => {
      const started = agents ?? expect.fail('the agents did not start');
      stage = { agents: started, talk: new Talk(started), to };
      await stage.talk.open();
    });
    afterEach(() => stage?.talk.close());

    describe('turn by turn', () => turnByTurn(now));
    describe('through restarts', () => throughRestarts(subject, now));
    describe('at once', () => atOnce(subject, now));
    describe('with an edited history', () => edited(subject, now));
    describe('among others', () => amongOthers(subject, now));
    more(now);
  });
}

function turnByTurn(stage: () => Stage): void {
  test('each gets exactly what it must', async () => {
    const { talk, to } = stage();
    for (const text of ['one', 'two', 'three']) await talk.ask(to(text));
  });

  test('[G20] what hangs on a message goes with it, and comes back where messages do', async () => {
    const { talk, to } = stage();
    await talk.ask(to('read file=a.txt'));
    await talk.ask(to('what does it say?'));
    await talk.ask(to('and file=large.txt'));
    await talk.reopen();
    await talk.ask(to('which of them is longer?'));
  });

  test('[K17] one that failed does not come back', async () => {
    const { talk, to } = stage();
    await talk.fail(to('the first breaks'));
    await talk.ask(to('one'));
    await talk.fail(to('this breaks'));
    await talk.ask(to('two'));
  });
}

function throughRestarts({ agent, sentWhenKilled }: Subject, stage: () => Stage): void {
  test('Vitrine is closed and opened between turns', async () => {
    const { talk, to } = stage();
    for (const text of ['one', 'two', 'three']) {
      await talk.ask(to(text));
      await talk.reopen();
    }
  });

  test('[L6] Vitrine is killed in the middle of a turn', async () => {
    const { talk, agents, to } = stage();
    await talk.ask(to('one'));
    const before = (await agents[agent].log()).length;
    await talk.killDuring(to('two'));
    expect((await agents[agent].log()).length - before).toBe(sentWhenKilled);
    await talk.ask(to('three'));
  });

  test('Vitrine is killed in the middle of the first turn', async () => {
    const { talk, to } = stage();
    await talk.killDuring(to('one'));
    await talk.ask(to('two'));
  });

  test('the agent is killed and started again between turns, and then both are', async () => {
    const { talk, agents, to } = stage();
    await talk.ask(to('one'));
    await agents[agent].restart();
    await talk.ask(to('two'));
    await agents[agent].restart();
    await talk.reopen();
    await talk.ask(to('three'));
  });
}

function atOnce({ agent, getsWhatItWaitedFor, sentWhenKilled }: Subject, stage: () => Stage): void {
  test('[K11] turns of one conversation follow each other, and nothing is overwritten', async () => {
    const { talk, agents, to } = stage();
    await talk.ask(to('before'));
    await agents[agent].hold();
    const one = await talk.begin(to('one'));
    const two = await talk.queue(to('two'));
    const three = await talk.queue(to('three'));
    await agents[agent].release();
    await talk.finish(one);
    await talk.finish(two, getsWhatItWaitedFor ? [] : [one]);
    await talk.finish(three, getsWhatItWaitedFor ? [] : [one, two]);
    await talk.ask(to('after'));
  });

  test('[K11] one that stands in line while Vitrine is closed gets the same', async () => {
    const { talk, agents, to } = stage();
    await talk.ask(to('before'));
    await agents[agent].hold();
    const one = await talk.begin(to('one'));
    const two = await talk.queue(to('two'));
    await talk.reopen(() => agents[agent].release());
    await talk.settle(one);
    await talk.finish(one);
    expect(await talk.requests(agent, to('one')), 'sent once more, or asked about').toHaveLength(
      sentWhenKilled - 1,
    );
    await talk.finish(two, getsWhatItWaitedFor ? [] : [one]);
    await talk.ask(to('after'));
  });

  test('[L14] conversations do not wait for each other, and nothing of one reaches the other', async () => {
    const { talk, agents, to } = stage();
    await talk.ask(to('left one'), 'left');
    await agents[agent].hold();
    const left = await talk.begin(to('left two'), 'left');
    const right = await talk.begin(to('right one'), 'right');
    await agents[agent].release();
    await talk.finish(left);
    await talk.finish(right);
    await talk.ask(to('right two'), 'right');
    await talk.ask(to('left three'), 'left');
  });
}

function edited({ agent, getsWhatItWaitedFor }: Subject, stage: () => Stage): void {
  test('[K16] a run is erased from the middle, then the oldest, then the newest', async () => {
    const { talk, to } = stage();
    const told = [];
    for (const text of ['one', 'two', 'three', 'four']) told.push(await talk.ask(to(text)));
    const [one, two, , four] = told;
    if (!one || !two || !four) throw new Error('not all were told');
    await talk.erase(two);
    const five = await talk.ask(to('five'));
    await talk.erase(one);
    await talk.ask(to('six'));
    await talk.erase(five, four);
    await talk.reopen();
    await talk.ask(to('seven'));
  });

  test('[K16] a run is erased while a turn stands in line', async () => {
    const { talk, agents, to } = stage();
    const one = await talk.ask(to('one'));
    await agents[agent].hold();
    const two = await talk.begin(to('two'));
    const three = await talk.queue(to('three'));
    await talk.erase(one);
    await agents[agent].release();
    await talk.finish(two);
    if (getsWhatItWaitedFor) return void (await talk.finish(three));
    // What a message was made of stays in it.
    await talk.over(three);
    const [request] = await talk.requests(agent, to('three'));
    expect(JSON.stringify(request)).toContain(to('one'));
  });

  test('[K16] a conversation is erased and begun again under the same id', async () => {
    const { talk, to } = stage();
    const told = [await talk.ask(to('one')), await talk.ask(to('two'))];
    await talk.erase(...told);
    await talk.ask(to('three'));
    await talk.ask(to('four'));
  });
}

function amongOthers({ agent, leaves }: Subject, stage: () => Stage): void {
  const others = agentNames.filter((name) => name !== agent);

  test('[K9 K10] A, B, A, C, A, D, A: each keeps its thread', async () => {
    const { talk } = stage();
    let n = 0;
    for (const other of others)
      for (const name of [agent, other]) await talk.ask(`${name}> message ${(n += 1)}`);
    await talk.ask(`${agent}> the last but one`);
    await talk.reopen();
    for (const name of agentNames) await talk.ask(`${name}> the last`);
  });

  test('[K18] all of them in one turn keep all their keys in one state', async () => {
    const { talk } = stage();
    const all = agentNames.join('+');
    await talk.ask(`${all}> one`);
    const { tree } = await talk.ask(`${all}> two`);
    const states = [...tree.states.values()] as { agent: string; strategy: string; state: Json }[];
    expect(combinedState(states)).toMatchObject(leaves(`${all}> two`));
    expect(Object.keys(combinedState(states)).toSorted()).toEqual([
      'gpa_messages',
      'is_gpa',
      'shared_context',
      'ums_conversation_id',
    ]);
    await talk.ask(`${agent}> three`);
  });
}
