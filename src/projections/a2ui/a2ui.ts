import type { RunTree } from '../../run/tree.ts';
import type { FlatMessage } from '../../wire/a2ui.ts';
import type { Framing } from '../../wire/framing.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
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
  });
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
  }),
  'a2ui-0.8': a2ui('a2ui-0.8', keyedDialect),
  'a2ui-0.9': a2ui('a2ui-0.9', plainDialect('v0.9')),
  'a2ui-1.0': a2ui('a2ui-1.0', plainDialect('v1.0')),
} as const;
