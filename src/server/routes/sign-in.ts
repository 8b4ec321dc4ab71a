import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { AppList } from '../../run/native-api.ts';
import { present } from '../../run/present.ts';
import { Role, type Caller } from '../access/caller.ts';
import { badgeLife } from '../access/badges.ts';
import { badgeCookie } from '../access/cookie.ts';
import type { ServerContext } from '../context.ts';
import { route } from './route.ts';

const Known = z.object({ tenant: z.string(), who: z.string(), role: Role });

const Credential = z
  .strictObject({
    /** A key or a token. */
    key: z.string().min(1).max(10_000).exactOptional(),
    /** What stands behind «#sign-in=» in a link. */
    link: z.string().min(1).max(1_000).exactOptional(),
  })
  .refine(({ key, link }) => (key === undefined) !== (link === undefined), {
    error: 'give «key» or «link»',
  });

export const signInRoutes = [
  route({
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
    async handle({ context, body, source }) {
      const caller = await knownBy(context, body);
      const badge = await context.door.badges.issue(caller, context.now());
      const cookie = badgeCookie(source, badge, badgeLife);
      return { status: 200, json: known(caller), headers: { 'set-cookie': cookie } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sign-out',
    about: 'Take the cookie back. It opens nothing any more, wherever else it is carried.',
    tag: 'people',
    role: 'viewer',
    addresses: 'anyone',
    answers: { 204: { about: 'It is gone.' } },
    handle({ context, caller, source }) {
      const { door } = context;
      if (caller?.badge) door.badges.end(caller, context.now());
      context.streams.sweep((each) => door.mayStay(each));
      return { status: 204, headers: { 'set-cookie': badgeCookie(source, '', 0) } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/me',
    about: 'Who is asking.',
    tag: 'people',
    role: 'viewer',
    addresses: 'tenant',
    answers: { 200: { about: 'You.', schema: Known } },
    handle: ({ caller }) => ({ status: 200, json: known(caller) }),
  }),
  route({
    method: 'GET',
    path: '/api/apps',
    about: 'What can be run here.',
    tag: 'runs',
    role: 'viewer',
    addresses: 'tenant',
    answers: {
      200: {
        about: 'The apps.',
        schema: AppList,
      },
    },
    handle({ context: { home, defaultApp } }) {
      const apps = home.apps.map(({ name, description, preferences }) => ({
        name,
        ...present({ description, preferences }),
      }));
      const away = home.toolServers?.away ?? [];
      return {
        status: 200,
        json: { apps, ...present({ defaultApp }), ...(away.length > 0 ? { away: [...away] } : {}) },
      };
    },
  }),
];

async function knownBy({ door }: ServerContext, { key, link }: z.infer<typeof Credential>): Promise<Caller> {
  if (link !== undefined) {
    const caller = door.bearerOf(link);
    if (caller) return caller;
    throw new RunError(
      'unauthenticated',
      'This link is not good any more: it signs in once, within ten minutes. Sign in with a key.',
    );
  }
  const caller = await door.holderOf(key ?? '');
  if (caller) return caller;
  throw new RunError('unauthenticated', 'This key is not good here.');
}

function known({ tenant, who, role }: Caller): z.infer<typeof Known> {
  return { tenant, who, role };
}
