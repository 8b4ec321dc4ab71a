// The workflows of the demo, each with what it is given and what is decided in it.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Catalog } from '../../src/engine/world.ts';
import type { Json } from '../../src/run/values.ts';
import { toolOf } from '../world.ts';
import type { Decide, Decided } from './decided.ts';
import { effectOf, type TellEffect } from './taken-over.ts';
import { answering, workflowFlow } from './world.ts';

export type DemoGraph = Readonly<Record<string, Json>> & { readonly name: string };

export function demoGraph(name: string): DemoGraph {
  const file = new URL(`../../demo/workflows/${name}.yaml`, import.meta.url);
  return parse(readFileSync(file, 'utf8')) as DemoGraph;
}

interface DemoPlay {
  readonly workflow: string;
  readonly data: Json;
  readonly decide: Decide;
  /** How it ends, and how often something is done in the world. */
  readonly ends: RegExp;
  readonly effects: number;
}

const text = 'LINK-SYD-MEL-FIBRE-01';
const as = (decision: Decided['decision'], value: Json = null, redo = false): Decided => ({
  decision,
  redo,
  value,
});

/** A person has the notice drawn up again, then edits it. */
const edited: Decide = ({ shown }) =>
  JSON.stringify(shown).includes('Please be patient.')
    ? as('edit', { site: 'Perth', text: 'Work tonight.' })
    : as('edit', 'Please be patient.', true);

/** Times are short where time really passes. */
const times = { pause: 1, patience: 600 };

export const demoPlays = {
  'change-notice': {
    workflow: 'change-notice',
    data: { text },
    decide: edited,
    ends: /^Posted as \S+: Work tonight\.$/,
    effects: 1,
  },
  'link-survey': {
    workflow: 'link-survey',
    data: { links: [text, 'LINK-SYD-BNE-FIBRE-01', 'LINK-ADL-MEL-FIBRE-01', 'LINK-LST-HBA-FIBRE-01'] },
    decide: () => as('approve'),
    ends: /^After a second look:\n\| telemetry/,
    effects: 0,
  },
  'watch-link': {
    workflow: 'watch-link',
    data: { text, ...times },
    decide: () => as('approve'),
    ends: /^An engineer is on the way/,
    effects: 1,
  },
  'watch-link, nobody decides': {
    workflow: 'watch-link',
    data: { text, ...times, patience: 1 },
    decide: () => as('expire'),
    ends: /^Nobody decided in time/,
    effects: 1,
  },
} as const satisfies Readonly<Record<string, DemoPlay>>;

export type DemoPlayName = keyof typeof demoPlays;
export const demoPlayNames = Object.keys(demoPlays) as DemoPlayName[];

export const demoEffects: ReadonlySet<string> = new Set(['post_notice', 'dispatch_engineer']);

/** Those who work in them, by rule: nothing waits for anything but the clock. */
export function ruledDemoCatalog(tell: TellEffect): Catalog {
  const doing = (name: string) =>
    toolOf(
      name,
      async (input, { idempotencyKey }) => {
        await tell(idempotencyKey, effectOf(name, input));
        return { id: 'NB-0001', ...(input as object) };
      },
      { effect: 'idempotent' },
    );
  const judge = (asked: string): string =>
    JSON.stringify({ confidence: asked.includes('second look') ? 0.9 : 0.5, feedback: 'Look again.' });
  return {
    flows: [workflowFlow],
    agents: [
      answering('TelemetryAgent', (asked) => `${asked} It is busy.`),
      answering('GraphExplorerAgent', (asked) => `${asked} Two paths.\nAnd more.`),
      answering('demo-model', judge),
    ],
    tools: [...demoEffects].map(doing),
  };
}
