import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { readAs } from '../../run/values.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';

/** Who asks, and how clients of their age are asked back. */
export interface Client {
  readonly context: ServerContext;
  readonly caller: Caller;
  /** `legacy` clients have a session in which they can be asked something; newer ones are answered with the question. */
  readonly era: 'legacy' | 'modern';
}

export const AppCall = z.object({
  text: z
    .string()
    .min(1)
    .max(1_000_000)
    .describe(
      'What you want, in words. To decide what a run asks: «approve <fingerprint>» or «reject <fingerprint>».',
    ),
  conversation: z
    .string()
    .max(200)
    .optional()
    .describe('Go on with this conversation; a name of your own begins one.'),
  run: z.string().max(200).optional().describe('The run that asks, where you decide something.'),
});
export type AppCall = z.infer<typeof AppCall>;

/** As the library of the protocol reads it, which has words of its own for what does not fit. */
export const readAppCall: StandardSchemaWithJSON<unknown, AppCall> = {
  '~standard': {
    ...AppCall['~standard'],
    validate: (given) => {
      const read = readAs(AppCall, given);
      return read.fits ? { value: read.value } : { issues: read.wrong };
    },
  },
};

/** A run as a resource. */
export function runUri(run: string): string {
  return `vitrine://runs/${run}`;
}
