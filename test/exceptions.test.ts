import { expect, test, vi } from 'vitest';
import { readFile } from 'node:fs/promises';
import { functionTool } from '../src/tools/function.ts';
import { z } from 'zod';
import { Stage } from './stage.ts';
import { calm } from './virtual-clock.ts';
import { flowOf } from './world.ts';
import { answerOf } from './conversation.ts';
import { RunError } from '../src/run/failure.ts';
import { failureIn } from '../src/engine/scope/broken.ts';
import type { Flow } from '../src/engine/scope.ts';
import { takeStray } from '../src/engine/scope/composite.ts';

/** The line that is thrown from, as stacks have it. */
const here = /^test\/exceptions\.test\.ts:\d+$/;
const ours = 'Something went wrong inside Vitrine; the log has the details.';

async function endOf(flow: Flow, more: object = {}) {
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow], ...more }), flow);
  return { stage, tree: await stage.tree(run) };
}

test('[E222] an exception of a tool is told as the tool’s, with its line', async () => {
  const own = functionTool({
    name: 'look',
    description: '',
    input: z.object({}),
    effect: 'pure',
    run: () => {
      throw new TypeError('no such column');
    },
  });
  const flow = flowOf(async (scope) => JSON.stringify(await scope.call('look', {})));
  const { stage, tree } = await endOf(flow, { tools: [own] });
  expect(JSON.parse(answerOf(tree))).toMatchObject({
    outcome: 'failed',
    failure: {
      code: 'internal',
      message: '«look» broke: no such column',
      where: expect.stringMatching(here),
    },
  });
  expect(stage.problems).toMatchObject([{ cause: { message: 'no such column' } }]);
});

test('[E222] an exception of a flow, and of a step in it, is told as theirs, with its line', async () => {
  const plain = await endOf(
    flowOf(() => {
      throw new Error('I forgot.');
    }),
  );
  expect(plain.tree.ended).toMatchObject({
    outcome: 'failed',
    failure: { message: '«test» broke: I forgot.', where: expect.stringMatching(here) },
    answer: expect.stringMatching(
      /^I could not finish this\. «test» broke: I forgot\. \(test\/exceptions\.test\.ts:\d+\)$/,
    ),
  });
  const inStep = await endOf(
    flowOf((scope) =>
      scope.step({ key: 'sort', title: 'Sorting' }, () => {
        throw new Error('Not sortable.');
      }),
    ),
  );
  expect(inStep.tree.ended?.failure).toMatchObject({
    message: '«Sorting» broke: Not sortable.',
    where: expect.stringMatching(here),
  });
});

test('[E222] what broke in code of ours is ours, and told to nobody but the log', () => {
  const inside = new Error('detail');
  const root = new URL('../src/', import.meta.url).pathname;
  inside.stack = `Error: detail\n    at read (${root}tools/files.ts:3:1)\n    at mine (/home/ann/app/flow.ts:9:2)`;
  expect(failureIn('read_file', inside)).toEqual({ code: 'internal', message: ours });
  inside.stack = `Error: detail\n    at parse (/home/ann/app/node_modules/x/i.js:1:1)\n    at node:internal/x:1:1\n    at async mine (file:///home/ann/app/flow.ts:9:2)`;
  expect(failureIn('mine', inside)).toEqual({
    code: 'internal',
    message: '«mine» broke: detail',
    where: 'app/flow.ts:9',
  });
});

test('[E222] what only failed in Node, or in a library, is the tool’s or the flow’s that asked for it', async () => {
  const look = (): Promise<string> => readFile('/nowhere/at.all', 'utf8');
  const tool = { name: 'read', description: '', input: z.object({}), effect: 'pure' } as const;
  const tools = [functionTool({ ...tool, run: look })];
  const told = async (flow: Flow): Promise<string | undefined> => {
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools }), flow);
    // The disk takes its time.
    return vi.waitFor(async () => {
      const { ended } = await stage.tree(run);
      if (!ended) throw new Error('it goes on');
      return ended.failure?.message;
    });
  };
  const missing = "ENOENT: no such file or directory, open '/nowhere/at.all'";
  const calling = flowOf(async (scope) => {
    const called = await scope.call('read', {});
    throw new RunError('internal', 'failure' in called ? called.failure.message : 'it was there');
  });
  expect(await told(calling)).toBe(`«read» broke: ${missing}`);
  expect(await told(flowOf((scope) => scope.step({ key: 'look', title: 'Looking' }, look)))).toBe(
    `«Looking» broke: ${missing}`,
  );
  expect(await told(flowOf(look))).toBe(`«test» broke: ${missing}`);
});

test('[E222] what only failed in Node is the tool’s in a thread, too', () => {
  const inside = new Error('detail');
  const root = new URL('../src/', import.meta.url).href;
  inside.stack = `Error: detail\n    at async open (node:internal/fs/promises:1:1)\n    at async ${root}tools/killable/killable.worker.ts:15:35`;
  expect(failureIn('weigh', inside)).toEqual({ code: 'internal', message: '«weigh» broke: detail' });
});

test('[E222] words that look like a stack hold nobody up, and break nothing', () => {
  const begun = performance.now();
  failureIn('odd', new Error(`\n    at ${'(/'.repeat(500_000)}`));
  failureIn('odd', new Error(`${`\n    at ${'(/'.repeat(600)}`.repeat(1_000)}`));
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect(failureIn('odd', new Error('so\n    at file:///x%ZZ/y.ts:1:1')).message).toContain(
    '«odd» broke: so',
  );
});

test('[E222] a folder with spaces or brackets in its name hides nobody’s line', () => {
  const inside = new Error('detail');
  inside.stack = `Error: detail\n    at mine (file:///home/ann/my%20app%20(2)/flow.ts:9:2)`;
  expect(failureIn('mine', inside).where).toBe('my app (2)/flow.ts:9');
  inside.stack = `Error: detail\n    at /home/ann/my app (2)/flow.ts:9:2`;
  expect(failureIn('mine', inside).where).toBe('my app (2)/flow.ts:9');
});

const careless = functionTool({
  name: 'careless',
  description: '',
  input: z.object({}),
  effect: 'pure',
  run: () => {
    setImmediate(() => takeStray(new TypeError('no such column')));
    return new Promise(() => {});
  },
});

test('[E130] what a tool leaves behind is told as the tool’s, with its line', async () => {
  const ended = Promise.withResolvers<void>();
  const flow = flowOf(async (scope) => {
    const answer = JSON.stringify(await scope.call('careless', {}));
    setImmediate(ended.resolve);
    return answer;
  });
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow], tools: [careless] }), flow);
  await ended.promise;
  expect(JSON.parse(answerOf(await stage.tree(run)))).toMatchObject({
    failure: {
      code: 'internal',
      message: '«careless» left an error that nobody caught: no such column',
      where: expect.stringMatching(here),
    },
  });
});

test('[E131] what comes late says what it was and where, at the step that left it', async () => {
  const late = Promise.withResolvers<void>();
  const hasty = functionTool({
    name: 'hasty',
    description: '',
    input: z.object({}),
    effect: 'pure',
    run: () => {
      setTimeout(() => {
        takeStray(new TypeError('no such row'));
        late.resolve();
      }, 5);
      return 1;
    },
  });
  const wait = functionTool({
    name: 'wait',
    description: '',
    input: z.object({}),
    effect: 'pure',
    run: async () => {
      await late.promise;
      return 1;
    },
  });
  const flow = flowOf(async (scope) => {
    await scope.call('hasty', {});
    await scope.call('wait', {});
    return 'done';
  });
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow], tools: [hasty, wait] }), flow);
  await late.promise;
  await calm();
  expect((await stage.tree(run)).notices).toMatchObject([
    {
      code: 'STRAY_ERROR',
      message: expect.stringMatching(
        /^«hasty» left an error that nobody caught: no such row \(test\/exceptions\.test\.ts:\d+\)$/,
      ),
    },
  ]);
});

test('[E222] an object that is no error is told with what is in it, and an error without words by its kind', () => {
  expect(failureIn('odd', { code: 'E7', message: 'no such shelf' }).message).toBe(
    "«odd» broke: { code: 'E7', message: 'no such shelf' }",
  );
  expect(failureIn('odd', new RangeError()).message).toBe('«odd» broke: RangeError');
});

test('[E222] what is no error, or has no line, is told without one', () => {
  expect(failureIn('odd', 'just text')).toEqual({ code: 'internal', message: '«odd» broke: just text' });
  expect(failureIn('odd', new Error('x'.repeat(9_000))).message).toHaveLength('«odd» broke: '.length + 2_000);
});
