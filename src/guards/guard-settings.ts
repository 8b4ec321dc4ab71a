import { z } from 'zod';
import { piiCategories } from './pii.ts';
import { rulesIn } from './rules.ts';
import { complianceCategories, safetyCategories } from './word-lists.ts';

const longestRules = 20_000;
const mostGuards = 10;

const action = z.enum(['redact', 'block', 'ask']);
const common = {
  /** What becomes of what is found: it blocks what people send and hides it in answers, unless this says otherwise. */
  action: action.optional(),
  /** What becomes of a text that a guard could not look at. */
  onFailure: z.enum(['block', 'pass']).default('block'),
};

const rulesText = z
  .string()
  .max(longestRules, `give at most ${longestRules} characters`)
  .superRefine((text, context) => {
    for (const problem of rulesIn(text).problems)
      context.addIssue({ code: 'custom', message: `line ${problem.line}: ${problem.why}` });
  });

/** One guard, as an app has it. */
export const GuardSettings = z.discriminatedUnion('guard', [
  z.strictObject({
    guard: z.literal('pii'),
    /** All of them, unless some are named. */
    categories: z.array(z.enum(piiCategories)).min(1).optional(),
    ...common,
  }),
  z.strictObject({
    guard: z.literal('safety'),
    categories: z.array(z.enum(safetyCategories)).min(1).optional(),
    ...common,
  }),
  z.strictObject({
    guard: z.literal('compliance'),
    categories: z.array(z.enum(complianceCategories)).min(1).optional(),
    ...common,
  }),
  z.strictObject({
    guard: z.literal('rules'),
    /** One rule a line: `BLOCK: words`, `REGEX: pattern`, or words. */
    text: rulesText,
    ...common,
  }),
  z.strictObject({
    guard: z.literal('judge'),
    /** Who judges, by what; the flow asks it, and the answer waits for what it says. */
    agent: z.string().min(1),
    text: z.string().max(longestRules).default(''),
    ...common,
  }),
]);
export type GuardSettings = z.output<typeof GuardSettings>;

/** What an app lets pass: of what people send, and of what it says. */
export const AppGuards = z
  .strictObject({
    input: z.array(GuardSettings).max(mostGuards).default([]),
    output: z.array(GuardSettings).max(mostGuards).default([]),
    /** What those for output look at: what is said to people in the end, or everything that is recorded. */
    covers: z.enum(['answer', 'everything']).default('answer'),
  })
  .superRefine(({ output, covers }, context) => {
    // What is recorded nowhere can be shown to nobody.
    for (const [i, { guard, action: does }] of output.entries())
      if (covers === 'everything' && does === 'ask' && guard !== 'judge')
        context.addIssue({
          code: 'custom',
          path: ['output', i, 'action'],
          message: `\`ask\` needs the text, and \`covers: everything\` keeps it nowhere: cover the answer, or let «${guard}» redact or block`,
        });
  });
export type AppGuards = z.output<typeof AppGuards>;
