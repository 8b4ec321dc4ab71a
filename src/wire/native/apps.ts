import { z } from 'zod';
import { Problem } from '../../run/failure-schema.ts';
import { Json } from '../../run/values.ts';
import { AppBody, GuardAction } from './app-body.ts';
import { endpoint } from './endpoint.ts';
import { whole } from './query.ts';
import { Difference, Moved } from './versions.ts';

const Standing = {
  name: z.string(),
  /** What it is called on the screen. */
  title: z.string(),
  /** What runs it. Those of the flow «pipeline» are applications, which can be made and changed here. */
  flow: z.string(),
  state: z.enum(['draft', 'published', 'archived']),
  /** Of the configuration: everybody may use it, nobody may change it. */
  readOnly: z.boolean(),
};

const Made = {
  /** Of the draft; 0 where there is none. */
  revision: z.int(),
  /** The newest that is published; 0 where nothing is. */
  version: z.int(),
  /** Who made it what it is, and when. */
  by: z.string(),
  at: z.number(),
};

/** An app in a list, whether it can be used or not. */
export const ListedApp = z.object({
  ...Standing,
  description: z.string(),
  /** Of an application. */
  made: z.object(Made).optional(),
  /** Whether its draft says something else than what is published. */
  changed: z.boolean().optional(),
  /** Why it cannot be used, though it is published. */
  problem: z.string().optional(),
  /** What it has, and what was done with it: of runs and conversations at most `mostCounted` are counted. */
  counts: z.object({
    runs: z.int(),
    conversations: z.int(),
    skills: z.int().optional(),
    documents: z.int().optional(),
    guards: z.int().optional(),
  }),
});
export type ListedApp = z.infer<typeof ListedApp>;

/** Runs and conversations of an app are counted up to here. */
export const mostCounted = 100;

/** An application as it is worked on: what its draft says, or what is published where there is none. */
export const AppDraft = z.object({
  ...Standing,
  ...Made,
  app: AppBody,
  /** What it cannot be published without, by the field it belongs into. */
  lacks: z.array(Problem),
});
export type AppDraft = z.infer<typeof AppDraft>;

const title = z.string().trim().min(1).max(200);
const revision = z.int().nonnegative().optional();
const shared = { tag: 'apps', addresses: 'tenant' } as const;
const making = { ...shared, role: 'member' } as const;
const changed =
  'It is the configuration’s, or somebody else has saved another revision: who and when is said.';
const missing = { 404: { about: 'There is no such application for you.' } } as const;
const told = { 200: { about: 'The application as it is now.', schema: AppDraft } } as const;

export const listAppDefinitions = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/apps/definitions',
  about: 'All apps there are for you, usable or not: those of the configuration and those that people made.',
  role: 'viewer',
  answers: { 200: { about: 'The apps.', schema: z.object({ apps: z.array(ListedApp) }) } },
});

const Named = z.object({ name: z.string(), description: z.string() });

/** What applications can be made of. */
export const AppParts = z.object({
  /** Agents that can plan, enhance and answer. */
  models: z.array(Named),
  skills: z.array(Named.extend({ type: z.enum(['agent', 'app', 'tool', 'workflow']) })),
  /** Tools that take a query. */
  sources: z.array(Named),
  personas: z.array(Named),
  /** Guards that find by themselves, with what they know. */
  guards: z.array(z.object({ guard: z.string(), categories: z.array(z.string()) })),
});
export type AppParts = z.infer<typeof AppParts>;

export const listAppParts = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/apps/parts',
  about: 'What an application can be made of: models, skills, sources, personas, guards.',
  role: 'viewer',
  answers: { 200: { about: 'All of it.', schema: AppParts } },
});

export const createApp = endpoint({
  ...making,
  method: 'POST',
  path: '/api/apps',
  about: 'Begin an application: a draft, named after its title.',
  body: z.strictObject({ title }),
  answers: { 201: { about: 'The draft.', schema: AppDraft } },
});

export const readAppDraft = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/apps/:name/draft',
  about: 'An application as it is worked on, with what it still lacks.',
  role: 'viewer',
  answers: { ...told, ...missing },
});

/** What a draft is to say: its fields are checked by the server, and each that does not fit is named. */
const GivenApp = z.strictObject({
  description: z.string().max(4_000).default(''),
  settings: z.record(z.string(), Json).default({}),
  guards: z.record(z.string(), Json).default({}),
});

export const saveAppDraft = endpoint({
  ...making,
  method: 'PUT',
  path: '/api/apps/:name/draft',
  about: 'Save the draft. With «revision», only over that one: 0 where there is none.',
  body: z.strictObject({ app: GivenApp, revision }),
  answers: {
    ...told,
    ...missing,
    400: { about: 'A field does not fit: «error.problems» names each, of a rule its line.' },
    409: { about: changed },
  },
});

export const publishApp = endpoint({
  ...making,
  method: 'POST',
  path: '/api/apps/:name/publish',
  about: 'Let people use what the draft says. Runs that have begun go on with what they began with.',
  body: z.strictObject({ revision }),
  answers: {
    ...told,
    ...missing,
    400: { about: 'It lacks something: «error.problems» names each thing.' },
    409: { about: changed },
  },
});

const moving = {
  ...making,
  method: 'POST',
  answers: { ...told, ...missing, 409: { about: 'It is the configuration’s.' } },
} as const;

export const archiveApp = endpoint({
  ...moving,
  path: '/api/apps/:name/archive',
  about: 'Let nobody begin anything with it; what has begun goes on, and its draft stays.',
});

export const restoreApp = endpoint({
  ...moving,
  path: '/api/apps/:name/restore',
  about: 'Let people use the newest version again that was archived.',
});

export const cloneApp = endpoint({
  ...making,
  method: 'POST',
  path: '/api/apps/:name/clone',
  about: 'A draft under another name, of what it says now.',
  body: z.strictObject({ title }),
  answers: { 201: { about: 'The new draft.', schema: AppDraft }, ...missing },
});

export const eraseApp = endpoint({
  ...making,
  method: 'DELETE',
  path: '/api/apps/:name',
  about: 'Erase an application: its draft and every version. Its runs keep what they began with.',
  answers: { 204: { about: 'It is gone.' }, ...missing, 409: { about: 'It is the configuration’s.' } },
});

/** One version of an application, or its draft, which is version 0. */
export const AppVersion = z.object({
  version: z.int(),
  state: z.enum(['draft', 'published', 'archived']),
  /** Of the draft it is, or was made from. */
  revision: z.int(),
  by: z.string(),
  at: z.number(),
  moved: Moved.optional(),
});
export type AppVersion = z.infer<typeof AppVersion>;

export const listAppVersions = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/apps/:name/versions',
  about: 'The draft of an application and all its versions: who made each, and who archived it.',
  role: 'viewer',
  answers: {
    200: { about: 'The draft first, then the oldest.', schema: z.object({ versions: z.array(AppVersion) }) },
    ...missing,
  },
});

export const compareApp = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/apps/:name/diff',
  about: 'Where two versions of an application differ; 0 is the draft.',
  role: 'viewer',
  query: z.strictObject({ from: whole(0, 1_000_000_000), to: whole(0, 1_000_000_000) }),
  answers: {
    200: { about: 'Each field that differs.', schema: z.object({ fields: z.array(Difference) }) },
    404: { about: 'There is no such version for you.' },
  },
});

/** A part of a text that a guard found: from `start` up to and without `end`. */
export const GuardFinding = z.object({
  start: z.int(),
  end: z.int(),
  guard: z.string(),
  /** What it is, such as «email». */
  category: z.string(),
  action: GuardAction,
  /** Of rules: the line that found it. */
  line: z.int().optional(),
});
export type GuardFinding = z.infer<typeof GuardFinding>;

/** What guards make of a text. */
export const TriedGuards = z.object({
  /** As it would pass. */
  text: z.string(),
  /** The strictest of what the findings ask for. */
  verdict: z.enum(['pass', 'redact', 'block', 'ask']),
  findings: z.array(GuardFinding),
  /** Guards that are agents: they judge in a run, and were not asked. */
  unasked: z.array(z.string()),
});
export type TriedGuards = z.infer<typeof TriedGuards>;

export const tryGuards = endpoint({
  ...making,
  method: 'POST',
  path: '/api/guards/try',
  about: 'What guards would make of a text. Nothing of it is kept.',
  body: z.strictObject({
    guards: z.array(z.record(z.string(), Json)).max(10),
    side: z.enum(['input', 'output']),
    text: z.string().max(10_000),
  }),
  answers: {
    200: { about: 'What they find, and what would pass.', schema: TriedGuards },
    400: { about: 'A guard does not fit: «error.problems» names each field, of a rule its line.' },
  },
});
