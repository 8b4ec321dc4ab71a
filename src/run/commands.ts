import { z } from 'zod';
import { Decision } from './events.ts';
import { Attachment, Json } from './values.ts';

const by = z.string().min(1);
/** Why somebody asks for it, for those who read it later. */
export const Reason = z.string().max(4_000).optional();
const reason = Reason;

/** The last moment that is a date. */
const lastDate = 8_640_000_000_000_000;

/** What a person makes of an approval. */
export const DecisionRequest = z.strictObject({
  decision: Decision.exclude(['expire']),
  rationale: z.string().max(4_000).optional(),
  /** With `edit`: what shall run instead. */
  arguments: Json.optional(),
  /** With `approve`: what was filled in, where the question has a schema. */
  answer: Json.optional(),
  /** Of what was shown: needed to approve and to edit, unless the name of the approval brings it. */
  fingerprint: z.string().max(200).optional(),
  /** With `defer`: milliseconds since 1970. */
  until: z.int().min(0).max(lastDate).optional(),
});
export type DecisionRequest = z.infer<typeof DecisionRequest>;

/** What people (and their programs) may ask of a run. A command is durable, and asked twice it gets the same answer. */
export const Command = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('pause'), by, reason }),
  z.strictObject({ type: z.literal('resume'), by, reason }),
  z.strictObject({ type: z.literal('stop'), by, reason }),
  z.strictObject({
    type: z.literal('message'),
    by,
    text: z.string().min(1),
    attachments: z.array(Attachment).optional(),
  }),
  z.strictObject({
    type: z.literal('decide'),
    by,
    approval: z.string().min(1),
    ...DecisionRequest.shape,
  }),
  /** From run to run: what was asked does not hold any more. */
  z.strictObject({
    type: z.literal('lapse'),
    by,
    approval: z.string().min(1),
    reason: z.string().min(1).max(4_000),
  }),
  /** From run to run: what a turn that waits in line is waiting for. */
  z.strictObject({
    type: z.literal('tell'),
    by,
    step: z.int().nonnegative(),
    message: z.string().min(1).max(4_000),
  }),
]);
export type Command = z.infer<typeof Command>;

type Field = 'fingerprint' | 'arguments' | 'answer' | 'until';

/** What is missing in a decision, or has no place in it: nothing that somebody gives is ever ignored. */
export function misfitOfFields(decide: Pick<DecisionRequest, 'decision' | Field>): Misfit | undefined {
  const { decision, fingerprint } = decide;
  const letsHappen = decision === 'approve' || decision === 'edit';
  if (letsHappen && fingerprint === undefined)
    return { field: 'fingerprint', message: `To ${decision}, name the «fingerprint» of what was shown.` };
  for (const [field, owner] of owners) {
    if (decide[field] !== undefined && !owner.includes(decision))
      return { field, message: `«${field}» has no place in «${decision}»: use «${owner[0]}».` };
  }
  return undefined;
}

export interface Misfit {
  readonly field: Field;
  readonly message: string;
}

const owners: readonly (readonly [Field, readonly [Decision, ...Decision[]]])[] = [
  ['arguments', ['edit']],
  ['answer', ['approve', 'edit']],
  ['until', ['defer']],
];
