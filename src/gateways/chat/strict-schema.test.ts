import { expect, test } from 'vitest';
import { planSchema } from '../../flows/plan.ts';
import { chatRequest } from './openai-chat.ts';
import { isStrict } from './strict-schema.ts';

const closed = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties: properties as Record<string, never>,
  required,
  additionalProperties: false,
});

test.for([
  ['a plan', planSchema(['a']), true],
  ['a text', { type: 'string' }, true],
  [
    'an object that is closed',
    closed({ a: { type: 'array', items: closed({ b: { type: 'string' } }) } }),
    true,
  ],
  ['an object that is open', { type: 'object', properties: { a: {} }, required: ['a'] }, false],
  ['an object with a choice', closed({ a: {}, b: {} }, ['a']), false],
  ['one that is open inside', closed({ a: { anyOf: [{ type: ['object', 'null'] }] } }), false],
] as const)('[K33] %s is asked for strictly only where a back end would take it', ([, schema, strict]) => {
  expect(isStrict(schema)).toBe(strict);
  const turn = { messages: [], conversation: 'c', idempotencyKey: 'k', answerSchema: schema };
  expect(chatRequest('m', turn).response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'answer', schema, ...(strict ? { strict } : {}) },
  });
});
