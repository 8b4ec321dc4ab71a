import { RunError } from '../../run/failure.ts';
import * as native from '../../wire/native/people.ts';
import type { Credential, Known } from '../../wire/native/people.ts';
import { type Caller, badgeCookie } from '../access/honest.ts';
import { appsFor } from '../apps/apps-for.ts';
import { badgeLife } from '../access/badges.ts';
import type { ServerContext } from '../context.ts';
import { route } from './route.ts';
import { filled } from '../../run/tree.ts';

export const signInRoutes = [
  route({
    ...native.signIn,
    async handle({ context, body, source }) {
      const caller = await knownBy(context, body);
      const badge = await context.door.badges.issue(caller, context.now());
      const cookie = badgeCookie(source, badge, badgeLife);
      return { status: 200, json: known(caller), headers: { 'set-cookie': cookie } };
    },
  }),
  route({
    ...native.signOut,
    async handle({ context, caller, source }) {
      const { door } = context;
      if (caller?.badge) await door.badges.end(caller, context.now());
      context.streams.sweep((each) => door.mayStay(each));
      return { status: 204, headers: { 'set-cookie': badgeCookie(source, '', 0) } };
    },
  }),
  route({
    ...native.readMe,
    handle: ({ caller }) => ({ status: 200, json: known(caller) }),
  }),
  route({
    ...native.readPreferences,
    handle: ({ context, caller }) => ({ status: 200, json: context.people.preferencesOf(caller) }),
  }),
  route({
    ...native.setPreferences,
    async handle({ context, caller, body }) {
      await context.people.prefer(caller, body);
      return { status: 200, json: body };
    },
  }),
  route({
    ...native.listApps,
    async handle({ context, caller }) {
      const { home, defaultApp } = context;
      const apps = (await appsFor(context, caller)).map(
        ({ name, description, examples, flow, preferences, greeting }) => ({
          name,
          ...greeting,
          description,
          examples,
          preferences,
          flow: flow.name,
        }),
      );
      const away = home.toolServers?.away ?? [];
      return {
        status: 200,
        json: { apps, defaultApp, away: filled([...away]) },
      };
    },
  }),
];

async function knownBy({ door }: ServerContext, { key, link }: Credential): Promise<Caller> {
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

function known({ tenant, who, role }: Caller): Known {
  return { tenant, who, role };
}
