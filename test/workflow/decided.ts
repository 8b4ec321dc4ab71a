// Who decides what graphs ask: by rule, so that a run has one right outcome.
import type { Command } from '../../src/run/commands.ts';
import type { Approval } from '../../src/run/tree.ts';
import type { Json } from '../../src/run/values.ts';
import { sha256 } from '../../src/loop/machine.ts';

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

/** The same where nobody lets a question expire: a real clock may be late. */
export const decideInTime: Decide = (asked) => decideBy({ ...asked, mayExpire: false });

/** The decision as a command; nothing where it is left to expire. */
export function commandFor(
  decide: Decide,
  asked: Approval,
): Extract<Command, { type: 'decide' }> | undefined {
  const { approval, fingerprint, title, expiresAt } = asked;
  const { decision, redo, value } = decide({
    title,
    shown: asked.arguments as Json,
    mayRedo: asked.redo !== undefined,
    mayExpire: expiresAt !== undefined,
  });
  if (decision === 'expire') return undefined;
  const given = { type: 'decide', by: 'ann', approval, fingerprint, decision } as const;
  if (decision !== 'edit') return given;
  return { ...given, arguments: value, ...(redo ? { answer: { redo: asked.redo?.[0] ?? '' } } : {}) };
}
