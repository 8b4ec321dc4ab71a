import { RunError } from '../../run/failure.ts';
import { changeShared, listShared, listTenants, readHolder, takeUpRun } from '../../wire/native/folder.ts';
import type { Caller } from '../access/honest.ts';
import { appTold } from '../folder/home.ts';
import { route } from './route.ts';

export const folderRoutes = [
  route({
    ...readHolder,
    handle({ context: { home, address }, caller }) {
      expectOwner(caller);
      return {
        status: 200,
        json: { process: process.pid, url: address() ?? null, apps: home.apps.map(appTold) },
      };
    },
  }),
  route({
    ...listTenants,
    async handle({ context, caller }) {
      expectOwner(caller);
      return { status: 200, json: { tenants: await context.home.dispatch.count({ damaged: false }) } };
    },
  }),
  route({
    ...listShared,
    async handle({ context, caller, body }) {
      expectOwner(caller);
      return { status: 200, json: { shared: await context.home.store.shared.list(body) } };
    },
  }),
  route({
    ...changeShared,
    async handle({ context, caller, body }) {
      expectOwner(caller);
      return { status: 200, json: { version: await context.home.store.shared.set(body) } };
    },
  }),
  route({
    ...takeUpRun,
    async handle({ context, subject }) {
      return { status: 200, json: { taken: await context.home.front.takeUp(subject) } };
    },
  }),
];

function expectOwner({ isOwner = false }: Caller): void {
  if (isOwner) return;
  throw new RunError('refused', 'This is for whoever owns the data folder, through the socket in it.');
}
