import { expect, test } from 'vitest';
import { z } from 'zod';
import { parsed } from './values.ts';

const Settings = z.strictObject({
  name: z.string().min(1).max(5),
  port: z.int().min(1).max(9).optional(),
  share: z.number().positive().lt(1).optional(),
  isOn: z.boolean().optional(),
  tags: z.array(z.string()).min(2).max(3).optional(),
  stages: z.enum(['flat', 'nested', 'off']).optional(),
  version: z.literal(1).optional(),
  code: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  at: z.url().optional(),
  own: z.string({ error: 'write a name' }).optional(),
  form: z.union([z.string(), z.object({ env: z.string() })]).optional(),
  kind: z
    .discriminatedUnion('is', [z.object({ is: z.literal('a') }), z.object({ is: z.literal('b') })])
    .optional(),
  steps: z.record(z.string().regex(/^[a-z]$/), z.number()).optional(),
});

test.for<[given: unknown, says: string]>([
  [5, 'must be an object, not a number'],
  [{}, 'name: is missing; give a text'],
  [{ name: 3 }, 'name: must be a text, not a number'],
  [{ name: null }, 'name: must be a text, not null'],
  [{ name: '' }, 'name: must not be empty'],
  [{ name: 'longer' }, 'name: must have at most 5 characters'],
  [{ name: 'n', port: '80' }, 'port: must be a number, not a text'],
  [{ name: 'n', port: 1.5 }, 'port: must be a whole number, not 1.5'],
  [{ name: 'n', port: 0 }, 'port: must be at least 1'],
  [{ name: 'n', port: 10 }, 'port: must be at most 9'],
  [{ name: 'n', share: 0 }, 'share: must be more than 0'],
  [{ name: 'n', share: 1 }, 'share: must be less than 1'],
  [{ name: 'n', isOn: 'yes' }, 'isOn: must be true or false, not a text'],
  [{ name: 'n', tags: 5 }, 'tags: must be a list, not a number'],
  [{ name: 'n', tags: ['a'] }, 'tags: must have at least 2 entries'],
  [{ name: 'n', tags: ['a', {}] }, 'tags.1: must be a text, not an object'],
  [{ name: 'n', stages: 'sideways' }, 'stages: must be «flat», «nested» or «off»'],
  [{ name: 'n', version: 2 }, 'version: must be 1'],
  [{ name: 'n', code: '1' }, 'code: must match /^[a-z]+$/'],
  [{ name: 'n', at: 'here' }, 'at: must be an address like https://host/path'],
  [{ name: 'n', own: 1 }, 'own: write a name'],
  [{ name: 'n', form: 1 }, 'form: must have one of the forms that are known here'],
  [{ name: 'n', form: { env: 1 } }, 'form.env: must be a text, not a number'],
  [{ name: 'n', kind: { is: 'c' } }, 'kind.is: must be «a» or «b»'],
  [{ name: 'n', steps: { 1: 1 } }, 'steps.1: must match /^[a-z]$/'],
  [{ name: 'n', nmae: 1, prot: 2 }, '«nmae», «prot» is not known here; remove or rename it'],
])('[V327] what does not fit is told in plain words: %j', ([given, says]) => {
  expect(() => parsed(Settings, given, 'It')).toThrow(`It does not fit: ${says}.`);
});
