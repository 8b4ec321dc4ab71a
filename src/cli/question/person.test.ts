import { expect, test } from 'vitest';
import type { Command } from '../../run/commands.ts';
import { foldAll } from '../../run/entries.ts';
import type { RunEvent } from '../../run/events.ts';
import type { RunTree } from '../../run/tree.ts';
import type { Key } from '../terminal/keyboard.ts';
import { Person } from './person.ts';

const opened: RunEvent = { type: 'step.opened', step: 1, parent: 0, key: 'a', kind: 'turn', title: 'users' };
const asks = (approval: string, more: object = {}): RunEvent => ({
  type: 'approval.requested',
  approval,
  step: 1,
  title: 'users',
  fingerprint: `f-${approval}`,
  priority: 'medium',
  allowed: ['approve', 'reject'],
  arguments: 'delete the first',
  ...more,
});
const treeOf = (...events: readonly RunEvent[]): RunTree =>
  foldAll(events.map((event, i) => ({ seq: i + 1, at: i + 1, event })));

function atTerminal(blobs: Readonly<Record<string, Promise<string>>> = {}) {
  const sent: Command[] = [];
  const printed: string[] = [];
  const home = {
    server: {
      url: 'http://nowhere',
      fetch: async (input: unknown) => new Response(await blobs[String(input).split('/').at(-1) ?? '']),
    },
    send: async (_: string, command: Command) => sent.push(command),
  };
  const person = new Person(home, 'r', {
    aside: (work) => work(),
    print: (lines) => void printed.push(...lines(80).map((line) => line.map(([text]) => text).join(''))),
  });
  const press = (tree: RunTree, ...names: readonly string[]): void => {
    for (const name of names) {
      person.lines(tree, 80);
      person.press({ name, text: name.length === 1 ? name : '', ctrl: false } satisfies Key, tree);
    }
  };
  return { person, sent, printed, press };
}

test('[V54] who was about to approve a question that lapsed does not approve the one in its place', () => {
  const { press, sent } = atTerminal();
  const lapsed: RunEvent = { type: 'approval.lapsed', approval: 'a1', fingerprint: 'f-a1', reason: 'moved' };
  press(treeOf(opened, asks('a1')), 'a');
  const now = treeOf(opened, asks('a1'), lapsed, asks('a2', { insteadOf: 'a1' }));
  press(now, 'return');
  expect(sent).toEqual([]);
  press(now, 'a', 'return');
  expect(sent).toMatchObject([{ decision: 'approve', approval: 'a2', fingerprint: 'f-a2' }]);
});

test('[V54] what is large can be approved once it is here and was printed whole', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { press, sent, printed } = atTerminal({ b: promise });
  const tree = treeOf(opened, asks('a1', { arguments: { blob: 'b', size: 40_000, preview: 'harmless' } }));
  press(tree, 'a', 'return', 'v', 'a', 'return');
  expect([sent, printed]).toEqual([[], []]);
  resolve(JSON.stringify(`${'x'.repeat(40_000)}end`));
  await new Promise((done) => setImmediate(done));
  press(tree, 'a', 'return');
  expect(sent).toEqual([]);
  press(tree, 'v');
  expect(printed.at(-1)).toMatch(/xend$/);
  press(tree, 'a', 'return');
  expect(sent).toMatchObject([{ decision: 'approve', fingerprint: 'f-a1' }]);
});

test('[V267] a paused run goes on by «r», and one that works is not resumed', () => {
  const { person, sent, press } = atTerminal();
  const paused = treeOf({ type: 'run.paused', by: 'ada' });
  person.press({ name: 'c', text: '', ctrl: true }, paused);
  press(treeOf(opened), 'r');
  expect(sent).toEqual([]);
  press(paused, 'r');
  expect(sent).toMatchObject([{ type: 'resume' }]);
});
