import { expect, test } from 'vitest';
import { fold } from '../../../../src/run/entries.ts';
import type { RunEvent } from '../../../../src/run/events.ts';
import { flatTree, type FlatTree } from '../../../../src/run/flat-tree.ts';
import { emptyTree } from '../../../../src/run/tree.ts';
import type { Json } from '../../../../src/run/values.ts';
import { edgeState, statesIn } from './node-states.ts';

const usage = { input: 0, output: 0 };

class Told {
  readonly #events: RunEvent[] = [];
  #next = 1;

  open(parent: number, key: string, kind = 'step'): number {
    const step = this.#next++;
    this.#events.push({ type: 'step.opened', step, parent, key, kind, title: key });
    return step;
  }

  close(step: number, result: Json, outcome: 'completed' | 'skipped' = 'completed'): void {
    this.#events.push({ type: 'step.closed', step, outcome, result, usage });
  }

  fail(step: number): void {
    const failure = { code: 'unavailable', message: 'It is away.', retryable: false } as const;
    this.#events.push({ type: 'step.closed', step, outcome: 'failed', failure, usage });
  }

  get tree(): FlatTree {
    const tree = emptyTree();
    this.#events.forEach((event, i) => fold(tree, { seq: i + 1, at: i + 1, event }));
    return flatTree(tree);
  }
}

test('[CV6] a node is its step, by its path; of rounds, tries and what is done again, the newest', () => {
  const told = new Told();
  const again = told.open(0, 'again', 'loop');
  for (const round of [1, 2]) {
    const inside = told.open(again, `round ${round}`, 'round');
    told.close(told.open(inside, 'look', 'template'), { port: 'done', output: round });
    if (round === 1) told.close(inside, null);
  }
  const map = told.open(0, 'each', 'map');
  for (const branch of [1, 2, 3]) {
    const inside = told.open(map, `branch ${branch}`, 'branch');
    told.open(inside, 'ask', 'agent');
    if (branch < 3) told.close(inside, null);
  }
  const safe = told.open(0, 'safe', 'failsafe');
  told.fail(told.open(told.open(safe, 'body', 'body'), 'try', 'tool'));
  told.open(told.open(safe, 'fallback', 'fallback'), 'tell', 'template');
  const draft = told.open(0, 'draft', 'prompt');
  told.close(draft, { port: 'done', output: 'first' });
  const question = told.open(0, 'check', 'human');
  const redone = told.open(told.open(question, 'again 2', 'again'), 'draft', 'prompt');
  const tried = told.open(told.open(told.open(0, 'retried', 'loop'), '~2', 'try'), 'round 1', 'round');
  const look = told.open(tried, 'look', 'template');
  const inner = told.open(told.open(0, 'sub', 'workflow'), 'start', 'start');
  const states = statesIn(told.tree);
  const shown = Object.fromEntries([...states].map(([path, { step }]) => [path, step.id]));
  expect(shown).toMatchObject({
    again,
    each: map,
    draft: redone,
    check: question,
    'retried.body.look': look,
    'sub.body.start': inner,
  });
  expect(states.get('again.body.look')?.step.result).toEqual({ port: 'done', output: 2 });
  expect(states.get('again')?.rounds).toEqual({ newest: 2, ended: 1 });
  expect(states.get('each')?.rounds).toEqual({ newest: 3, ended: 2 });
  expect(states.get('safe.body.try')?.step.status).toBe('failed');
  expect(states.has('safe.fallback.tell')).toBe(true);
  expect(states.get('draft')?.step.id).toBe(redone);
});

test('[CV6] an edge is taken, dead or ahead by how its node was left', () => {
  const told = new Told();
  told.close(told.open(0, 'down', 'branch'), { port: 'yes', output: 'yes' });
  told.close(told.open(0, 'none', 'template'), null, 'skipped');
  told.fail(told.open(0, 'post', 'tool'));
  told.open(0, 'work', 'agent');
  told.close(told.open(0, 'join', 'merge'), { port: 'done', output: 1 });
  const states = statesIn(told.tree);
  const edge = (from: string, port: string, to: string): string =>
    edgeState(port, states.get(from), states.get(to));
  expect(edge('down', 'yes', 'join')).toBe('taken');
  expect(edge('down', 'otherwise', 'join')).toBe('dead');
  expect(edge('none', 'done', 'join')).toBe('dead');
  expect(edge('post', 'failed', 'x')).toBe('taken');
  expect(edge('post', 'done', 'x')).toBe('dead');
  expect(edge('work', 'done', 'x')).toBe('ahead');
  expect(edge('never', 'done', 'x')).toBe('ahead');
});

test('[W311] what was open in a node that was skipped was skipped with it', () => {
  const told = new Told();
  const map = told.open(0, 'each', 'map');
  told.open(told.open(map, 'branch 1', 'branch'), 'ask', 'human');
  told.close(map, null, 'skipped');
  expect(statesIn(told.tree).get('each.body.ask')?.status).toBe('skipped');
});
