import { z } from 'zod';
import { Json } from '../../run/values.ts';

/** What the sandbox is asked to run. */
export interface Script {
  readonly code: string;
  readonly input: unknown;
  /** What its clock says, all the time. */
  readonly now: number;
  /** 64 KiB pages the sandbox may hold. */
  readonly pages: number;
  /** Characters of the result, and of what is logged. */
  readonly output: number;
}

/** What came of it. `logged` is what the code wrote with `console`. */
export const ScriptOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('value'), value: Json, logged: z.string(), cut: z.array(z.string()) }),
  z.object({ kind: z.literal('threw'), message: z.string(), line: z.number().optional() }),
  z.object({ kind: z.literal('memory') }),
]);
export type ScriptOutcome = z.infer<typeof ScriptOutcome>;
