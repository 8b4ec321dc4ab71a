import { RunError } from '../../run/failure.ts';
import { readHolder, takeUpRun } from '../../wire/native/folder.ts';
import { appTold } from '../folder/home.ts';
import { route } from './route.ts';

export const folderRoutes = [
  route({
    ...readHolder,
    handle({ context: { home, address }, caller }) {
      if (caller.isOwner !== true)
        throw new RunError('refused', 'This is for whoever owns the data folder, through the socket in it.');
      return {
        status: 200,
        json: { process: process.pid, url: address() ?? null, apps: home.apps.map(appTold) },
      };
    },
  }),
  route({
    ...takeUpRun,
    async handle({ context, subject }) {
      return { status: 200, json: { taken: await context.home.front.takeUp(subject) } };
    },
  }),
];
