import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { AppList } from '../../run/native-api.ts';
import { present } from '../../run/present.ts';
import { Role, type Caller } from '../access/caller.ts';
import { badgeCookie } from '../access/door.ts';
import { badgeLife } from '../access/tokens.ts';
import { route } from './route.ts';

const Known = z.object({ tenant: z.string(), who: z.string(), role: Role });

export const signInRoutes = [
  route({
    method: 'POST',
    path: '/api/sign-in',
    about: 'Exchange a key or a token for a cookie, since EventSource and WebSocket send no headers.',
    tag: 'people',
    role: 'viewer',
    addresses: 'anyone',
    body: z.strictObject({ key: z.string().min(1).max(10_000) }),
    answers: {
      200: { about: 'The cookie is set.', schema: Known },
      401: { about: 'The key is not good.' },
    },
    async handle({ house, body: { key }, header }) {
      const caller = await house.door.holderOf(key);
      if (!caller) throw new RunError('unauthenticated', 'This key is not good here.');
      const badge = await house.door.badges.issue(caller, house.now());
      const secure = header('x-forwarded-proto') === 'https' ? '; Secure' : '';
      const cookie = `${badgeCookie}=${badge}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${badgeLife}${secure}`;
      return { status: 200, json: known(caller), headers: { 'set-cookie': cookie } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sign-out',
    about: 'Take the cookie back.',
    tag: 'people',
    role: 'viewer',
    addresses: 'anyone',
    answers: { 204: { about: 'It is gone.' } },
    handle: () => ({
      status: 204,
      headers: { 'set-cookie': `${badgeCookie}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0` },
    }),
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
    handle({ house: { home, defaultApp } }) {
      const apps = home.apps.map(({ name, description, preferences }) => ({
        name,
        ...present({ description, preferences }),
      }));
      return { status: 200, json: { apps, ...present({ defaultApp }) } };
    },
  }),
];

function known({ tenant, who, role }: Caller): z.infer<typeof Known> {
  return { tenant, who, role };
}
