import { movedIn } from '../../front/definition-moves.ts';
import { configurationTenant } from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import * as native from '../../wire/native/apps.ts';
import type { Caller } from '../access/honest.ts';
import { keptBody, newBody, type ApplicationBody } from '../applications/application-form.ts';
import {
  eraseApplication,
  foundApplication,
  freeName,
  unpublishApplication,
} from '../applications/applications.ts';
import type { ServerContext } from '../context.ts';
import { route } from '../routes/route.ts';
import { appParts } from './app-parts.ts';
import { expectWhole, readApp, readGuards } from './app-problems.ts';
import { listedApps, toldDraft } from './told-app.ts';
import { triedGuards } from './try-guards.ts';

const kind = 'app';

/** Applications as they are made and changed: a draft with a revision, and what is published of it. */
export const appRoutes = [
  route({
    ...native.listAppDefinitions,
    handle: async ({ context, caller }) => ({
      status: 200,
      json: { apps: await listedApps(context, caller) },
    }),
  }),
  route({
    ...native.listAppParts,
    handle: async ({ context, caller }) => ({ status: 200, json: await appParts(context, caller) }),
  }),
  route({
    ...native.createApp,
    handle: async ({ context, caller, body: { title } }) => ({
      status: 201,
      json: await begun({ context, caller }, newBody, title),
    }),
  }),
  route({
    ...native.readAppDraft,
    handle: async ({ context, caller, params: { name = '' } }) => ({
      status: 200,
      json: toldDraft(await foundApplication(context, caller, name)),
    }),
  }),
  route({
    ...native.saveAppDraft,
    async handle({ context, caller, params: { name = '' }, body: { app, revision } }) {
      const found = await foundApplication(context, caller, name);
      const said = readApp(app, name);
      const body = keptBody({ ...said, others: found.body.others });
      const over = revision ?? found.revision;
      await context.home.definitions.draft(caller, { kind, name, body, revision: over });
      return { status: 200, json: toldDraft(await foundApplication(context, caller, name)) };
    },
  }),
  route({
    ...native.publishApp,
    async handle({ context, caller, params: { name = '' }, body: { revision } }) {
      const found = await foundApplication(context, caller, name);
      expectWhole(found.body, name);
      const over = revision ?? found.revision;
      await context.home.definitions.publish(caller, { kind, name, revision: over });
      return { status: 200, json: toldDraft(await foundApplication(context, caller, name)) };
    },
  }),
  route({
    ...native.archiveApp,
    async handle({ context, caller, params: { name = '' } }) {
      await expectOwn({ context, caller }, name);
      return { status: 200, json: toldDraft(await unpublishApplication(context, caller, name)) };
    },
  }),
  route({
    ...native.restoreApp,
    async handle({ context, caller, params: { name = '' } }) {
      await expectOwn({ context, caller }, name);
      const { definitions } = context.home;
      const versions = await definitions.versions(caller, { kind, name });
      const newest = versions.findLast(({ state }) => state === 'archived');
      if (newest) await definitions.restore(caller, { kind, name, version: newest.version });
      return { status: 200, json: toldDraft(await foundApplication(context, caller, name)) };
    },
  }),
  route({
    ...native.listAppVersions,
    async handle({ context, caller, params: { name = '' } }) {
      await foundApplication(context, caller, name);
      const { definitions } = context.home;
      const rows = await definitions.versions(caller, { kind, name });
      const moves = await definitions.moves(caller, { kind, name });
      const versions = rows.map((row) => {
        const { version, state, revision, by, at } = row;
        return { version, state, revision, by, at, ...movedIn(moves, row) };
      });
      return { status: 200, json: { versions } };
    },
  }),
  route({
    ...native.compareApp,
    async handle({ context, caller, params: { name = '' }, query: { from, to } }) {
      await foundApplication(context, caller, name);
      const version = (own: number) => ({ kind, name, version: own });
      const fields = await context.home.definitions.diff(caller, version(from), version(to));
      return { status: 200, json: { fields } };
    },
  }),
  route({
    ...native.cloneApp,
    async handle({ context, caller, params: { name = '' }, body: { title } }) {
      const { body } = await foundApplication(context, caller, name);
      return { status: 201, json: await begun({ context, caller }, body, title) };
    },
  }),
  route({
    ...native.eraseApp,
    async handle({ context, caller, params: { name = '' } }) {
      await eraseApplication(context, caller, name);
      return { status: 204 };
    },
  }),
  route({
    ...native.tryGuards,
    handle: ({ body: { guards, side, text } }) => ({
      status: 200,
      json: triedGuards(readGuards(guards), side, text),
    }),
  }),
];

interface Asking {
  readonly context: ServerContext;
  readonly caller: Caller;
}

/** A draft that says so, under a name made of its title. */
async function begun({ context, caller }: Asking, body: ApplicationBody, title: string) {
  const name = await freeName(context, caller, title);
  const { settings } = body;
  const called = { ...body, settings: { ...settings, chat: { ...settings.chat, name: title } } };
  await context.home.definitions.draft(caller, { kind, name, body: keptBody(called), revision: 0 });
  return toldDraft(await foundApplication(context, caller, name));
}

async function expectOwn({ context, caller }: Asking, name: string): Promise<void> {
  const { definition } = await foundApplication(context, caller, name);
  if (definition.tenant !== configurationTenant) return;
  const message = `The app «${name}» is the configuration's and cannot be changed here: change it there, or clone it.`;
  throw new RunError('rejected', message);
}
