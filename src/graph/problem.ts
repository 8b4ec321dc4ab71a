/** What is wrong with a graph, where, and what to do about it. A node that is empty is the graph itself. */
export interface Problem {
  readonly node: string;
  readonly field: string;
  readonly problem: string;
  readonly fix: string;
}
