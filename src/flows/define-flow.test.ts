import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { vitrineIn } from '../../test/program.ts';
import { defineFlow } from './define-flow.ts';

const greet = defineFlow({
  name: 'greet',
  version: '1',
  settings: z.strictObject({ greeting: z.string(), times: z.int().positive().default(1) }),
  run: async (_, { text }, settings) => {
    expectTypeOf(settings).toEqualTypeOf<{ greeting: string; times: number }>();
    return Array.from({ length: settings.times }, () => `${settings.greeting}, ${text}`).join('; ');
  },
});

test('[IP13] an app gives a flow its settings, and a run goes by them, with what they leave out', async () => {
  const vitrine = await vitrineIn({
    config: {
      store: 'memory',
      apps: {
        once: { flow: greet, settings: { greeting: 'Hello' } },
        twice: { flow: greet, settings: { greeting: 'Hi', times: 2 } },
      },
    },
  });
  const answers = ['once', 'twice'].map(async (app) => {
    const run = await vitrine.start({ app, text: 'Ada' });
    return (await Array.fromAsync(run.follow())).at(-1)?.answer;
  });
  expect(await Promise.all(answers)).toEqual(['Hello, Ada', 'Hi, Ada; Hi, Ada']);
});

test.for([
  { settings: {}, field: 'apps.greeter.settings.greeting' },
  { settings: { greeting: 'Hi', times: 0 }, field: 'apps.greeter.settings.times' },
])('[IP13] settings that do not fit are refused with the field: $field', async ({ settings, field }) => {
  const config = { apps: { greeter: { flow: greet, settings } } };
  await expect(vitrineIn({ config })).rejects.toThrow(field);
});
