import fc, { type Arbitrary } from 'fast-check';
import type { Item, Json } from '../src/run/values.ts';
import { anyItem, anyText } from './arbitraries.ts';

/** What a made-up flow does, as data: `plausibleRun` plays it as an engine would record it. */
export type Work =
  | {
      readonly type: 'step';
      readonly kind: (typeof kinds)[number];
      readonly says: readonly string[];
      readonly children: readonly Work[];
      readonly atOnce: boolean;
      readonly planned: boolean;
      readonly fails: boolean;
    }
  | {
      readonly type: 'turn';
      readonly effect: 'pure' | 'once';
      readonly items: readonly Item[];
      readonly reasons: readonly string[];
      readonly says: readonly string[];
      /** Tools the model asks for, and the pieces of each call's arguments. */
      readonly asks: readonly (readonly string[])[];
      readonly stages: readonly Stage[];
      readonly outcome: 'completed' | 'failed';
    }
  | {
      readonly type: 'call';
      readonly effect: 'pure' | 'idempotent' | 'once';
      readonly arguments: Json;
      readonly gate: Gate;
      readonly logs: readonly string[];
      readonly outcome: 'completed' | 'failed' | 'reused' | 'skipped';
    }
  | { readonly type: 'ask'; readonly gate: Exclude<Gate, 'none'> };

/** An inner stage of another agent, mirrored below a turn. Some never say that they are over. */
export interface Stage {
  readonly titles: readonly string[];
  readonly says: readonly string[];
  readonly items: readonly Item[];
  readonly stages: readonly Stage[];
  readonly closes: boolean;
}

export type Gate = 'none' | 'approve' | 'reject' | 'edit' | 'defer' | 'expire' | 'lapse';

const gates = ['approve', 'reject', 'edit', 'defer', 'expire', 'lapse'] as const;
const kinds = ['step', 'agent', 'answer', 'route', 'branch'] as const;
const texts = fc.array(anyText, { maxLength: 3 });
const titles = fc.array(fc.oneof(fc.constantFrom('Web', ' Search'), anyText), { maxLength: 3 });
const items = fc.array(anyItem, { maxLength: 2 });
const inputs: readonly Json[] = [
  { q: 1 },
  { query: 'Which paths use the link?' },
  { input: '[ORCHESTRATOR_THINKING]The link first.[/ORCHESTRATOR_THINKING] Which paths?' },
  'plain',
  { blob: 'a', size: 9, preview: 'The beginning' },
];

const turn: Arbitrary<Work> = fc.record({
  type: fc.constant('turn' as const),
  effect: fc.constantFrom('pure', 'once'),
  items,
  reasons: texts,
  says: texts,
  asks: fc.array(texts, { maxLength: 2 }),
  stages: fc.array(stageOf(3), { maxLength: 2 }),
  outcome: fc.constantFrom('completed', 'failed'),
});
const call: Arbitrary<Work> = fc.record({
  type: fc.constant('call' as const),
  effect: fc.constantFrom('pure', 'idempotent', 'once'),
  arguments: fc.constantFrom(...inputs),
  gate: fc.constantFrom('none', 'none', ...gates),
  logs: texts,
  outcome: fc.constantFrom('completed', 'failed', 'reused', 'skipped'),
});
const ask: Arbitrary<Work> = fc.record({
  type: fc.constant('ask' as const),
  gate: fc.constantFrom(...gates),
});

/** Depths are bounded here: what fast-check bounds by itself grew deeper than its own stack. */
export const anyWork: Arbitrary<Work> = workOf(4);

function workOf(depth: number): Arbitrary<Work> {
  const leaves = [turn, call, ask] as const;
  return depth === 1 ? fc.oneof(...leaves) : fc.oneof(...leaves, stepOf(depth - 1));
}

function stepOf(depth: number): Arbitrary<Work> {
  return fc.record({
    type: fc.constant('step' as const),
    kind: fc.constantFrom(...kinds),
    says: texts,
    children: fc.array(workOf(depth), { maxLength: 3 }),
    atOnce: fc.boolean(),
    planned: fc.boolean(),
    fails: fc.boolean(),
  });
}

function stageOf(depth: number): Arbitrary<Stage> {
  return fc.record({
    titles,
    says: texts,
    items,
    stages: depth === 1 ? fc.constant([]) : fc.array(stageOf(depth - 1), { maxLength: 2 }),
    closes: fc.boolean(),
  });
}
