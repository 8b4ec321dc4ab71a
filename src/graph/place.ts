import type { Wrong, Limits } from '../run/values.ts';
import type { Name } from './expression.ts';
import type { GraphNode, Part } from './graph.ts';

export type SettledNode = Extract<GraphNode, { type: 'team' | 'guard' }>;

/** What there is, where a graph names it. What is not given is not looked at. */
export interface Known {
  readonly agents?: ReadonlySet<string>;
  readonly tools?: ReadonlySet<string>;
  readonly workflows?: ReadonlySet<string>;
  readonly connections?: ReadonlySet<string>;
  /** The most that a graph may use here. */
  readonly limits?: Limits;
  /** What is wrong with the settings of a team or a guard. */
  readonly settings?: (node: SettledNode) => readonly Wrong[];
}

/** A graph, or one inside it. */
export interface Place {
  readonly part: Part;
  readonly level: number;
  /** Names that mean something here beside `input`, `nodes` and `now`. */
  readonly names: ReadonlySet<Name>;
  /** Nodes around it that are settled before anything in it begins. */
  readonly before: ReadonlySet<string>;
  readonly within: string;
}
