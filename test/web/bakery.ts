// An app that has nothing of the demo world: other agents, other tools, other figures, six levels deep.
import type { Scope } from '../../src/engine/scope.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { RunError } from '../../src/run/failure.ts';
import type { Item, Json } from '../../src/run/values.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { serving, type Serving } from '../serving.ts';

export interface Bakery extends Serving {
  /** What was baked, as it was sent. */
  readonly baked: Json[];
  /** Lets the dough rest no longer. */
  readonly goOn: () => void;
}

export const levels = ['Dough', 'Flour', 'Wheat', 'Field', 'Soil', 'Rain'];

const figures: readonly Item[] = [
  {
    kind: 'visualization',
    shape: 'table',
    data: {
      columns: ['loaf', 'grams'],
      rows: [
        ['rye', 750],
        ['spelt', 1_000],
        ['wheat', 500],
      ],
    },
  },
  {
    kind: 'visualization',
    shape: 'chart',
    data: {
      data: [{ type: 'scatter', name: 'oven', x: [1, 2, 3], y: [180, 220, 240] }],
      layout: { xaxis: { title: 'hour' }, yaxis: { title: 'heat', ticksuffix: ' °C' } },
    },
  },
  { kind: 'visualization', shape: 'documents', data: { content: 'Rye needs a night.' } },
  { kind: 'attachment', attachment: { type: 'text/plain', title: 'recipe.txt', data: 'flour, water, salt' } },
];

function tools(baked: Json[]): Tool[] {
  const plain = { description: 'For bread.', schema: { type: 'object' }, effect: 'pure' } as const;
  return [
    { ...plain, name: 'weigh', run: async () => ({ grams: 500 }) },
    {
      ...plain,
      name: 'smell',
      run: async () => {
        throw new RunError('unavailable', 'The nose is cold.');
      },
    },
    {
      name: 'bake',
      description: 'Bakes.',
      schema: {
        type: 'object',
        properties: {
          oven: { type: 'string', enum: ['left', 'right'], description: 'Which oven.' },
          minutes: { type: 'integer' },
          recipe: { type: 'object' },
        },
        required: ['oven', 'minutes'],
      },
      effect: 'once',
      approval: 'always',
      run: async (input) => {
        baked.push(input);
        return { loaves: 12 };
      },
    },
  ];
}

async function deeper(scope: Scope, depth: number, bottom: (scope: Scope) => Promise<void>): Promise<void> {
  const title = levels[depth];
  if (title === undefined) return bottom(scope);
  await scope.step({ key: title, title, reasoning: `${title} comes first.` }, (inner) =>
    deeper(inner, depth + 1, bottom),
  );
}

/** Bread is mixed, rests and is served. It waits at the bottom of the first until it may go on. */
function baking(rested: Promise<void>): (scope: Scope) => Promise<string> {
  return async (scope) => {
    scope.plan([
      { key: 'mix', title: 'Mix' },
      { key: 'rest', title: 'Rest' },
      { key: 'serve', title: 'Serve' },
    ]);
    await scope.step({ key: 'mix', title: 'Mix' }, (mix) =>
      deeper(mix, 0, async (bottom) => {
        bottom.say('It rains.');
        for (const item of figures) bottom.attach(item);
        await rested;
      }),
    );
    await scope.step({ key: 'rest', title: 'Rest' }, async (rest) => {
      await rest.call('weigh', { loaf: 'rye' });
      await rest.call('weigh', { loaf: 'rye' });
      for (const key of ['a', 'b', 'c']) await rest.call('smell', { loaf: 'rye' }, { key });
      const refusal = { code: 'TOO_LATE', reason: 'Nobody weighs at night.' };
      await rest.call('weigh', { loaf: 'late' }, { refusal });
    });
    await scope.step({ key: 'serve', title: 'Serve' }, async (serve) => {
      await serve.turn('baker', { messages: [{ role: 'user', text: 'Bread!' }] });
      await serve.call('bake', { oven: 'left', minutes: 40, recipe: { flour: 'rye', salt: 9 } });
      await serve.ask({
        key: 'taste',
        title: 'Taste it?',
        message: 'A new flour was used.',
        priority: 'high',
        expiresIn: 3_600_000,
      });
    });
    return 'The **bread** is done.';
  };
}

/** Where one asks for bread. */
export async function bakery(): Promise<Bakery> {
  const baked: Json[] = [];
  const { promise: rested, resolve: goOn } = Promise.withResolvers<void>();
  const at = await serving({
    config: {
      apps: {
        bakery: {
          flow: { name: 'bakery', version: '1', run: baking(rested) },
          description: 'Bread, from the soil on.',
          examples: ['Bake a rye bread', 'Bake rolls'],
        },
      },
      agents: {
        baker: {
          description: 'Bakes.',
          gateway: scriptedGateway(() => [{ type: 'say', text: 'It rises.' }]),
        },
      },
      tools: tools(baked),
    },
  });
  return { ...at, baked, goOn };
}
