import { createContext, useContext } from 'react';
import type { Source } from '../../../src/client/client.ts';
import type { NodePath } from './model/node-path.ts';
import type { EdgeState, NodeState } from './model/node-states.ts';

/** What nodes and edges are drawn with. It stays the same while a run goes on, so that each is drawn for itself. */
export interface CanvasView {
  readonly isEditable: boolean;
  /** How nodes and edges stand in the run that is shown; absent where none is. */
  readonly live: Live | undefined;
  readonly hasProblem: (path: NodePath) => Source<boolean>;
  /** Whether a workflow inside this one is drawn in place, and how to change that. */
  readonly openInPlace: ((path: NodePath) => void) | undefined;
}

export interface Live {
  readonly state: (path: NodePath) => Source<NodeState | undefined>;
  readonly edge: (port: string, from: NodePath, to: NodePath) => Source<EdgeState>;
}

export const CanvasContext = createContext<CanvasView | undefined>(undefined);

export function useCanvas(): CanvasView {
  const view = useContext(CanvasContext);
  if (view) return view;
  throw new Error('A node is drawn on a canvas.');
}

const nothing: Source<undefined> = { getSnapshot: () => undefined, subscribe: () => () => {} };

export function stateSource({ live }: CanvasView, path: NodePath): Source<NodeState | undefined> {
  return live ? live.state(path) : nothing;
}
