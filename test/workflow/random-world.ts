// What graphs that were drawn run on: everything answers by what it is given, so that a run has one right outcome.
import type { Catalog } from '../../src/engine/world.ts';
import { workflow } from '../../src/flows/workflow/workflow.ts';
import { RunError } from '../../src/run/failure.ts';
import type { Json } from '../../src/run/values.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { toolOf } from '../world.ts';
import { effectOf, type TellEffect } from './taken-over.ts';
import { answering } from './world.ts';

/** It says how long the last part of what it is told is. */
export function echo(text: string): string {
  return JSON.stringify({ said: (text.split('\n\n').at(-1) ?? '').length });
}

export function judged(text: string): { confidence: number; feedback: string } {
  const { length } = text.split('\n\n').at(-1) ?? '';
  return { confidence: length % 2 === 0 ? 0.9 : 0.5, feedback: `${length}` };
}

/** What a run of a drawn graph is given. */
export const drawnInput = (seed: number): Json => ({ n: seed, list: ['a', 'b'] });

/** What is done once. */
export const noted: ReadonlySet<string> = new Set(['note', 'connection_x_put']);

export const drawnFlow = workflow({
  flow: (name) => ({
    async run(scope, { text }) {
      if (name !== 'coordinate') throw new Error(`no ${name} here`);
      return (await scope.turn('echo', { messages: [{ role: 'user', text }] })).text;
    },
  }),
});

export function drawnCatalog(tell: TellEffect): Catalog {
  const doing =
    (what: string, answer: (input: Json) => Json) =>
    async (input: Json, { idempotencyKey }: ToolContext): Promise<Json> => {
      await tell(idempotencyKey, effectOf(what, input));
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
