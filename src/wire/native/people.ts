import { z } from 'zod';
import { Preferences } from '../../run/preferences.ts';
import { endpoint, Role } from './endpoint.ts';
import { everything } from './query.ts';

/** Who somebody is here. */
export const Known = z.object({ tenant: z.string(), who: z.string(), role: Role });
export type Known = z.infer<typeof Known>;

export const Credential = z
  .strictObject({
    /** A key or a token. */
    key: z.string().min(1).max(10_000).optional(),
    /** What stands behind «#sign-in=» in a link. */
    link: z.string().min(1).max(1_000).optional(),
  })
  .refine(({ key, link }) => (key === undefined) !== (link === undefined), {
    error: 'give «key» or «link»',
  });
export type Credential = z.infer<typeof Credential>;

/** What can be run here, and what is shown of it to those who ask for nothing else. */
export const AppList = z.object({
  /** Servers of tools that do not answer now. */
  away: z.array(z.string()).optional(),
  apps: z.array(
    z.object({
      name: z.string(),
      description: z.string().optional(),
      /** What it is called on the screen, what it says first, and what people should know of it. */
      title: z.string().optional(),
      welcome: z.string().optional(),
      disclaimer: z.string().optional(),
      /** Whether documents that people bring into a conversation are searched. */
      uploads: z.boolean().optional(),
      /** Questions to begin with. */
      examples: z.array(z.string()).optional(),
      /** What runs it: a flow that ships, or one of its own. */
      flow: z.string().optional(),
      preferences: z.object(Preferences.shape).optional(),
    }),
  ),
  /** The app of those who name none; absent where they must. */
  defaultApp: z.string().optional(),
});
export type AppList = z.infer<typeof AppList>;

export const signIn = endpoint({
  method: 'POST',
  path: '/api/sign-in',
  about:
    'Exchange a key, a token or what stands in a sign-in link for a cookie, since EventSource and WebSocket send no headers.',
  tag: 'people',
  role: 'viewer',
  addresses: 'anyone',
  body: Credential,
  answers: {
    200: { about: 'The cookie is set.', schema: Known },
    401: { about: 'The key is not good.' },
  },
});

export const signOut = endpoint({
  method: 'POST',
  path: '/api/sign-out',
  about: 'Take the cookie back. It opens nothing any more, wherever else it is carried.',
  tag: 'people',
  role: 'viewer',
  addresses: 'anyone',
  answers: { 204: { about: 'It is gone.' } },
});

export const readMe = endpoint({
  method: 'GET',
  path: '/api/me',
  about: 'Who is asking.',
  tag: 'people',
  role: 'viewer',
  addresses: 'tenant',
  answers: { 200: { about: 'You.', schema: Known } },
});

/** What somebody prefers to see of every run, unless they ask for something else; `*` takes back what an app says. */
export const OwnPreferences = z.strictObject({
  stages: Preferences.shape.stages,
  names: z.array(z.string().min(1).max(200)).max(100).optional(),
  depth: z.union([z.int().min(0).max(1_000), z.literal(everything)]).optional(),
  /** How much the app shows of a run: what was answered, its steps, or all that is known of them. */
  verbosity: z.enum(['answer', 'steps', 'everything']).optional(),
});
export type OwnPreferences = z.infer<typeof OwnPreferences>;

export const readPreferences = endpoint({
  method: 'GET',
  path: '/api/me/preferences',
  about: 'What you prefer to see of runs, whatever app they are of.',
  tag: 'people',
  role: 'viewer',
  addresses: 'tenant',
  answers: {
    200: { about: 'Your preferences; what is left out is as each app prefers.', schema: OwnPreferences },
  },
});

export const setPreferences = endpoint({
  method: 'PUT',
  path: '/api/me/preferences',
  about:
    'Say what you prefer to see of runs. It takes the place of all you said before; {} is as each app prefers.',
  tag: 'people',
  role: 'viewer',
  addresses: 'tenant',
  body: OwnPreferences,
  answers: { 200: { about: 'Your preferences from now on.', schema: OwnPreferences } },
});

export const listApps = endpoint({
  method: 'GET',
  path: '/api/apps',
  about: 'What can be run here.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'tenant',
  answers: { 200: { about: 'The apps.', schema: AppList } },
});
