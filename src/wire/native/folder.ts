import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** The process that holds a data folder. */
export const Holder = z.object({
  process: z.int(),
  /** Where it serves; null where it is reached through the folder alone. */
  url: z.string().nullable(),
  /** Its apps, with the name and version of their flows: whoever comes beside it may mean another by the same name. */
  apps: z.array(z.object({ name: z.string(), flow: z.string() })),
});
export type Holder = z.infer<typeof Holder>;

export const readHolder = endpoint({
  method: 'GET',
  path: '/api/holder',
  about: 'Which process holds the data folder. For its owner, through the socket in it.',
  tag: 'operation',
  role: 'operator',
  addresses: 'tenant',
  answers: {
    200: { about: 'It.', schema: Holder },
    403: { about: 'You did not come through the folder.' },
  },
});

export const listTenants = endpoint({
  method: 'GET',
  path: '/api/holder/tenants',
  about: 'Whose runs a data folder has, and how many. For its owner, through the socket in it.',
  tag: 'operation',
  role: 'operator',
  addresses: 'tenant',
  answers: {
    200: {
      about: 'They.',
      schema: z.object({ tenants: z.array(z.object({ tenant: z.string(), runs: z.int() })) }),
    },
    403: { about: 'You did not come through the folder.' },
  },
});

const sharedKey = { kind: z.string().min(1), tenant: z.string(), name: z.string() };

const ofTheOwner = {
  path: '/api/holder/shared',
  tag: 'operation',
  role: 'operator',
  addresses: 'tenant',
} as const;

export const listShared = endpoint({
  ...ofTheOwner,
  method: 'POST',
  about:
    'What the processes of a data folder share: keys, pins, preferences. For its owner, through the socket in it.',
  body: z.strictObject({
    kind: sharedKey.kind,
    tenant: sharedKey.tenant.optional(),
    name: sharedKey.name.optional(),
  }),
  answers: {
    200: {
      about: 'What is shared.',
      schema: z.object({
        shared: z.array(z.object({ ...sharedKey, value: z.string(), version: z.int() })),
      }),
    },
    403: { about: 'You did not come through the folder.' },
  },
});

export const changeShared = endpoint({
  ...ofTheOwner,
  method: 'PUT',
  about:
    'Change one value that is shared, as it was last seen. For the owner of the folder, through the socket in it.',
  body: z.strictObject({ ...sharedKey, value: z.string(), version: z.int().nonnegative() }),
  answers: {
    200: { about: 'Its version now.', schema: z.object({ version: z.int() }) },
    403: { about: 'You did not come through the folder.' },
    409: { about: 'It was changed meanwhile.' },
  },
});

export const takeUpRun = endpoint({
  method: 'POST',
  path: '/api/runs/:run/take-up',
  about: 'Have a run worked on that is not: a terminal that holds a folder works on what it is asked for.',
  tag: 'runs',
  role: 'operator',
  addresses: 'run',
  answers: {
    200: {
      about: 'Whether its flow is known here.',
      schema: z.object({ taken: z.boolean() }),
    },
  },
});
