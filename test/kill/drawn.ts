// A graph with a join after a branch, a map with questions, a loop, a failsafe and a merge. Its tools tell the ledger.
import type { Flow } from '../../src/engine/scope.ts';
import type { Catalog } from '../../src/engine/world.ts';
import { nodeDoer } from '../../src/flows/workflow-node.ts';
import { expectRunnable, runGraph } from '../../src/flows/workflow-whole.ts';
import { RunError } from '../../src/run/failure.ts';
import type { Json } from '../../src/run/values.ts';
import { answering, graphOf, partOf } from '../workflow/world.ts';
import { toolOf } from '../world.ts';
import { tellLedger, type Ledger } from './world.ts';

const note = (id: string, value: Json = id) => ({ id, type: 'tool', tool: 'note', arguments: { value } });

const graph = graphOf(
  [
    { id: 'way', type: 'branch', cases: [{ port: 'left', when: 'input.n > 1' }] },
    note('left'),
    note('right'),
    note('join', '{{nodes.left.output}}'),
    {
      id: 'each',
      type: 'map',
      items: '["a", "b", "c"]',
      max: 3,
      atOnce: 2,
      body: partOf(
        [note('look', '{{item}}'), { id: 'ask', type: 'human', shows: '{{nodes.look.output}}' }],
        'look>ask',
      ),
    },
    {
      id: 'rounds',
      type: 'loop',
      times: 2,
      body: partOf(
        [note('round', '{{index}}'), { id: 'say', type: 'prompt', agent: 'echo', message: '{{last}}' }],
        'round>say',
      ),
    },
    {
      id: 'safe',
      type: 'failsafe',
      body: partOf([{ id: 'bad', type: 'tool', tool: 'break' }], ''),
      fallback: partOf([note('instead', '{{error.message}}')], ''),
    },
    { id: 'all', type: 'merge', how: 'list' },
  ],
  'way.left>left way.otherwise>right left>join right>join join>each join>rounds join>safe each>all rounds>all safe>all',
);

/** How often each thing is done, in a run that nobody disturbs. */
export const drawnEffects = ['"left"', '"a"', '"b"', '"c"', '0', '1', '"It is down."'].length + 1;

const flow: Flow = {
  name: 'drawn',
  version: '1',
  async run(scope, input) {
    const whole = expectRunnable(graph as unknown as Json, { n: 2 });
    const doNode = nodeDoer({ means: { flow: () => expectNone() }, input, within: ['g'] });
    return JSON.stringify(await runGraph(scope, { graph: whole, input: { n: 2 } }, doNode));
  },
};

function expectNone(): never {
  throw new Error('there is no team here');
}

export function drawnCatalog(ledger: Ledger): Catalog {
  return {
    flows: [flow],
    agents: [answering('echo', (text) => `heard ${text}`)],
    tools: [
      toolOf(
        'note',
        async (input, { idempotencyKey }) => {
          const { value } = input as { value: Json };
          await tellLedger(ledger, {
            effect: 'idempotent',
            key: idempotencyKey,
            what: JSON.stringify(value),
          });
          return value;
        },
        { effect: 'idempotent' },
      ),
      toolOf('break', () => {
        throw new RunError('rejected', 'It is down.');
      }),
    ],
  };
}
