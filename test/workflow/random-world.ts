// What graphs that were drawn run on: everything answers by what it is given, so that a run has one right outcome.
import type { Catalog } from '../../src/engine/world.ts';
import { workflow } from '../../src/flows/workflow.ts';
import { RunError } from '../../src/run/failure.ts';
import type { Json } from '../../src/run/values.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { sha256 } from '../../src/server/system.ts';
import { toolOf } from '../world.ts';
import { answering } from './world.ts';

/** A question, as whoever decides sees it. */
export interface Asked {
  readonly title: string;
  readonly shown: Json;
  readonly mayRedo: boolean;
  readonly mayExpire: boolean;
}
export interface Decided {
  readonly decision: 'approve' | 'reject' | 'edit' | 'expire';
  readonly redo: boolean;
  readonly value: Json;
}
export type Decide = (asked: Asked) => Decided;

/** What is decided follows from what is asked. */
export const decideBy: Decide = ({ title, shown, mayRedo, mayExpire }) => {
  const drawn = Number.parseInt(sha256(`${title} ${JSON.stringify(shown)}`).slice(0, 6), 16);
  const value = { edited: title };
  if (mayRedo && drawn % 3 === 0) return { decision: 'edit', redo: true, value };
  if (mayExpire && drawn % 2 === 0) return { decision: 'expire', redo: false, value };
  const decision = (['approve', 'edit', 'reject', 'approve'] as const)[drawn % 4] ?? 'approve';
  return { decision, redo: false, value };
};

/** It says how long the last part of what it is told is. */
export function echo(text: string): string {
  return JSON.stringify({ said: (text.split('\n\n').at(-1) ?? '').length });
}

export function judged(text: string): { confidence: number; feedback: string } {
  const { length } = text.split('\n\n').at(-1) ?? '';
  return { confidence: length % 2 === 0 ? 0.9 : 0.5, feedback: `${length}` };
}

/** What is done once. */
export const noted: ReadonlySet<string> = new Set(['note', 'connection_x_put']);

export function effectOf(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`;
}

/** Effects by their key: the same key twice is one effect. */
export type Ledger = Map<string, string>;

export const drawnFlow = workflow({
  flow: (name) => ({
    async run(scope, { text }) {
      if (name !== 'coordinate') throw new Error(`no ${name} here`);
      return (await scope.turn('echo', { messages: [{ role: 'user', text }] })).text;
    },
  }),
});

export function drawnCatalog(ledger: Ledger): Catalog {
  const doing =
    (what: string, answer: (input: Json) => Json) =>
    (input: Json, { idempotencyKey }: ToolContext): Json => {
      ledger.set(idempotencyKey, effectOf(what, input));
      return answer(input);
    };
  const idempotent = { effect: 'idempotent' } as const;
  const request = (input: Json): Json => input;
  return {
    flows: [drawnFlow],
    agents: [answering('echo', echo), answering('judge', (text) => JSON.stringify(judged(text)))],
    tools: [
      toolOf(
        'note',
        doing('note', (input) => ({ noted: input })),
        idempotent,
      ),
      toolOf('break', () => {
        throw new RunError('unavailable', 'It is down.');
      }),
      toolOf('run_javascript', (input) => ({ value: (input as { input: Json }).input })),
      toolOf('search_documents', (input) => input),
      toolOf('connection_x_get', request),
      toolOf('connection_x_put', doing('connection_x_put', request), idempotent),
    ],
  };
}
