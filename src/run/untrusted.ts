import type { StepId } from './events.ts';
import { isOpen, type RunTree, type Step } from './tree.ts';
import type { Attachment } from './values.ts';

/** Where something that others wrote came into a run. */
export interface Source {
  readonly step: StepId;
  /** In words, as a part of a sentence. */
  readonly what: string;
  /** Who brought it: a tool, an agent with its answer, or a person with a message. */
  readonly by: 'tool' | 'agent' | 'person';
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
  return attachments.map(({ title, type }) => ({
    step,
    by: 'person',
    what: `the attachment «${title ?? type}»`,
  }));
}

/** What is still at work has told nobody anything; what failed may have said why in words of its own. */
function hasBrought(step: Step): boolean {
  const isReused = step.status === 'reused' || step.reusedFrom !== undefined;
  return isReused || (step.started && step.status !== 'pending' && !isOpen(step));
}

function sourceOf({ id, kind, title, untrusted }: Step): Source {
  if (untrusted === 'tools')
    return { step: id, by: 'tool', what: `tools that nobody has approved yet (step ${id})` };
  return kind === 'turn'
    ? { step: id, by: 'agent', what: `the answer of «${title}» (step ${id})` }
    : { step: id, by: 'tool', what: `what «${title}» gave (step ${id})` };
}
