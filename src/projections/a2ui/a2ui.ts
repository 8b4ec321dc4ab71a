import { z } from 'zod';
import { parsed } from '../../run/values.ts';
import type { RunTree } from '../../run/tree.ts';
import type { FlatMessage } from '../../wire/a2ui.ts';
import type { Framing } from '../../wire/framing.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
import type { Door, DoorRequest, Wish } from '../door.ts';
import { protocol } from '../protocol.ts';
import type { Projection, Protocol, ViewOptions } from '../projection.ts';
import { flatProjection } from './flat.ts';
import { flatPrelude } from './flat-surface.ts';
import { keyedDialect } from './keyed.ts';
import { plainDialect } from './plain.ts';
import type { Dialect } from './surface.ts';
import { surfaceOf } from './surface-of.ts';
import { surfaceProjection } from './surface-projection.ts';

/** A run in a version of A2UI: one surface, named after the run. */
function a2ui<Message>(name: string, dialect: Dialect<Message>): Protocol<SseFrame, Framing> {
  return protocol({
    name,
    projection: ({ run }) => inDialect(run, dialect),
    write: (message: Message) => ({ data: JSON.stringify(message) }),
    prelude: (tree, options) => preludeIn(dialect, tree, options),
    doors: [
      { path: `/${name.replace('-', '/')}/:app`, about: startAbout, read: readStart },
      rejoin(`/${name.replace('-', '/')}/runs/:run`),
    ],
  });
}

const startAbout = 'Ask an app something; its surface streams, also while a person is asked.';

const Start = z.strictObject({ message: z.string().min(1), conversation: z.string().min(1).optional() });

function readStart({ params: { app = '' }, body }: DoorRequest): Wish<Framing> {
  const { message: text, conversation } = parsed(Start, body, 'The request');
  return { wants: 'start', app, message: { role: 'user', text }, conversation, form: 'stream' };
}

/** For one who has no cursor: the surface as it stands, and what comes. */
function rejoin(path: string): Door<Framing> {
  const about = 'The surface of a run as it stands, after it was deleted, and what comes.';
  const read: Door<Framing>['read'] = ({ params: { run = '' } }) => ({
    wants: 'follow',
    of: { run },
    answer: 'prelude',
    form: 'stream',
  });
  return { method: 'GET', path, about, role: 'viewer', read };
}

type State = ReturnType<typeof surfaceProjection.begin>;

function inDialect<Message>(run: string, dialect: Dialect<Message>): Projection<State, Message> {
  const { begin, weight } = surfaceProjection;
  return {
    begin,
    ...(weight && { weight }),
    project: (state, entry) =>
      surfaceProjection.project(state, entry).flatMap((change) => dialect(run, change)),
  };
}

/** Whoever had the surface before must let go of it: to create one twice is an error. */
function preludeIn<Message>(dialect: Dialect<Message>, tree: RunTree, { run }: ViewOptions): Message[] {
  return [...dialect(run, { type: 'delete' }), ...dialect(run, { type: 'begin', data: surfaceOf(tree) })];
}

export const a2uiProtocols = {
  'a2ui-flat': protocol<ReturnType<ReturnType<typeof flatProjection>['begin']>, FlatMessage, SseFrame>({
    name: 'a2ui-flat',
    projection: flatProjection,
    write: (message) => ({ data: JSON.stringify(message) }),
    prelude: flatPrelude,
    doors: [rejoin('/a2ui/flat/runs/:run')],
  }),
  'a2ui-0.8': a2ui('a2ui-0.8', keyedDialect),
  'a2ui-0.9': a2ui('a2ui-0.9', plainDialect('v0.9')),
  'a2ui-1.0': a2ui('a2ui-1.0', plainDialect('v1.0')),
} as const;
