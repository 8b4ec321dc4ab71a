/** What is wrong with a graph, where, and what to do about it. */
export type { Problem } from '../run/failure-schema.ts';
