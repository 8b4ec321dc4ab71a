import type { StepId } from './events.ts';
import { isOpen, type RunTree, type Step } from './tree.ts';
import type { Attachment } from './values.ts';

/** Where something that others wrote came into a run. */
export interface Source {
  readonly step: StepId;
  /** In words, as a part of a sentence. */
  readonly what: string;
  /** Whose words they are, if an agent brought them. */
  readonly agent?: string;
  /** The run of the conversation it came into, if it was another one. */
  readonly run?: string;
}

/** All that others wrote and this run has read so far: outcomes of steps that say so, and what hung on messages. */
export function untrustedIn(tree: RunTree): Source[] {
  const hung = attached(0, tree.started?.input.attachments ?? []);
  const sent = [...tree.messages.values()].flatMap(({ takenBy, attachments }) =>
    takenBy === undefined ? [] : attached(takenBy, attachments),
  );
  const brought = tree.untrusted.flatMap((id): Source[] => {
    const step = tree.steps.get(id);
    return step && hasBrought(step) ? [sourceOf(step)] : [];
  });
  return [...hung, ...sent, ...brought];
}

function attached(step: StepId, attachments: readonly Attachment[]): Source[] {
  return attachments.map(({ title, type }) => ({ step, what: `the attachment «${title ?? type}»` }));
}

/** What is still at work has told nobody anything; what failed may have said why in words of its own. */
function hasBrought(step: Step): boolean {
  return step.status === 'reused' || (step.started && step.status !== 'pending' && !isOpen(step));
}

function sourceOf({ id, kind, title, agent, untrusted }: Step): Source {
  if (kind !== 'turn') return { step: id, what: `what «${title}» gave (step ${id})` };
  if (untrusted === 'tools') return { step: id, what: `tools that nobody has approved yet (step ${id})` };
  return {
    step: id,
    what: `the answer of «${title}» (step ${id})`,
    ...(agent === undefined ? {} : { agent }),
  };
}
