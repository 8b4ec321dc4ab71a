import { expect, test } from 'vitest';
import { z } from 'zod';
import { RunError } from '../run/failure.ts';
import type { Json } from '../run/values.ts';
import { functionTool } from './function.ts';
import { failureFrom, recordingContext, toolContract } from './tool.contract.ts';

const input = z.strictObject({
  city: z.string().min(1).max(100).describe('The city to look up.'),
  days: z.int().min(1).max(7).default(1).describe('How many days ahead.'),
});

const weather = functionTool({
  name: 'forecast',
  description: 'Tells the weather of a city for the next days.',
  input,
  effect: 'pure',
  async run({ city, days }, context) {
    context.say(`looking up ${city}`);
    if (city === 'Nowhere') throw new RunError('unknown', `There is no city "${city}"; check \`city\`.`);
    if (city === 'Slow') await new Promise((resolve) => context.signal.addEventListener('never', resolve));
    return { city, days };
  },
});

toolContract('functionTool', async () => ({
  tool: weather,
  good: { city: 'Basel' },
  slow: { city: 'Slow' },
  failing: [{ input: { city: 'Nowhere' }, names: 'city' }],
}));

test('[T70] the JSON Schema says what the zod schema says, with its defaults', () => {
  expect(weather.schema).toStrictEqual({
    type: 'object',
    properties: {
      city: { type: 'string', minLength: 1, maxLength: 100, description: 'The city to look up.' },
      days: { type: 'integer', minimum: 1, maximum: 7, default: 1, description: 'How many days ahead.' },
    },
    required: ['city'],
    additionalProperties: false,
  });
});

test('[T71] defaults are filled in before the function sees its input', async () => {
  expect(await weather.run({ city: 'Basel' }, recordingContext())).toStrictEqual({ city: 'Basel', days: 1 });
});

test('[T72] the failure lists every field that is wrong', async () => {
  const { code, message } = await failureFrom(weather.run({ city: 4, days: 9, x: 1 }, recordingContext()));
  expect(code).toBe('malformed');
  expect(message).toBe(
    'The arguments of forecast are wrong: `city` must be a text, not a number; ' +
      '`days` must be at most 7; `x` is not an argument.',
  );
});

test('[T72] arguments nested without end are refused, whoever would take them apart', async () => {
  const deep: Json = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  for (const value of [z.unknown(), z.json()]) {
    const tool = functionTool({
      name: 't',
      description: 'd',
      input: z.object({ value }),
      effect: 'pure',
      run: () => 1,
    });
    expect((await failureFrom(tool.run({ value: deep }, recordingContext()))).message).toMatch(
      /nested deeper than 200 levels/,
    );
    expect(await tool.run({ value: [[[{}]]] }, recordingContext())).toBe(1);
  }
});

test('[T73] nothing becomes null, and what JSON cannot say becomes what JSON makes of it', async () => {
  const tool = (value: unknown) =>
    functionTool({ name: 't', description: 'd', input: z.object({}), effect: 'pure', run: () => value });
  expect(await tool(undefined).run({}, recordingContext())).toBeNull();
  expect(await tool({ at: new Date(0), no: undefined }).run({}, recordingContext())).toStrictEqual({
    at: '1970-01-01T00:00:00.000Z',
  });
  expect((await failureFrom(tool(1n).run({}, recordingContext()))).code).toBe('internal');
});

test('[T74] an error that is not a failure stays what it is, for the engine to log', async () => {
  const bug = new TypeError('x is not a function');
  const tool = functionTool({
    name: 't',
    description: 'd',
    input: z.object({}),
    effect: 'pure',
    run: () => {
      throw bug;
    },
  });
  await expect(tool.run({}, recordingContext())).rejects.toBe(bug);
});

test('[T75] a tool that cannot be described is refused when it is made', () => {
  const make = (name: string, schema: z.ZodType) => () =>
    functionTool({ name, description: 'd', input: schema, effect: 'pure', run: () => null });
  expect(make('no spaces', z.object({}))).toThrow(/cannot be a tool's name/);
  expect(make('dates', z.object({ at: z.date() }))).toThrow(/cannot be told as JSON Schema/);
});
