import { z } from 'zod';
import { StepId } from './events.ts';
import { Failure } from './failure-schema.ts';
import { FlatApproval, flatApproval } from './flat-approval.ts';
import { FlatPhase, FlatStep, flatStep } from './flat-step.ts';
import {
  runStatus,
  stepOf,
  textOf,
  type Approval,
  type QueuedMessage,
  type RunTree,
  type Step,
  filled,
  present,
} from './tree.ts';
import { Attachment, BlobRef, Item, Usage } from './values.ts';
const FlatMessage = z.object({
  id: z.string(),
  text: z.string(),
  by: z.string(),
  attachments: z.array(Attachment).optional(),
  takenBy: StepId.optional(),
});

/** A run as JSON, for people and programs: a list of steps that name their parents. What is empty is absent. */
export const FlatTree = z.object({
  run: z.string().optional(),
  title: z.string(),
  status: z.enum(['running', 'waiting', 'paused', 'completed', 'failed', 'stopped']),
  seq: z.int(),
  answer: z.union([z.string(), BlobRef]).nullable(),
  failure: Failure.optional(),
  startedAt: z.number().nullable(),
  endedAt: z.number().optional(),
  usage: Usage,
  spent: z.object({ turns: z.int(), calls: z.int(), tokens: z.number(), milliseconds: z.number() }),
  phase: FlatPhase.optional(),
  /** What the run itself said and attached, outside its steps. */
  text: z.string().optional(),
  items: z.array(Item).optional(),
  steps: z.array(FlatStep),
  notices: z.array(z.object({ seq: z.int(), step: StepId, code: z.string(), message: z.string() })),
  approvals: z.array(FlatApproval),
  messages: z.array(FlatMessage).optional(),
  /** Somebody has asked to stop it, and it has not ended yet. */
  stopping: z.boolean().optional(),
  takeovers: z.int().optional(),
  /** Its last good entry, where its journal was found damaged: this is the run as it was then. */
  damaged: z.int().optional(),
  /** Why nobody here can go on with it, and what to do. */
  stranded: z.string().optional(),
});
export type FlatTree = z.infer<typeof FlatTree>;

/** The tree as it is now, in the order of opening. Steps of superseded attempts, and all below them, are left out. */
export function flatTree(tree: RunTree, run?: string, flat: FlatMaking = afresh): FlatTree {
  return { ...flatParts(tree, run, flat), steps: [...currentSteps(tree, flat)] };
}

/** Makes the parts of a flat tree: anew, or, for whoever had them before, only what has changed. */
export interface FlatMaking {
  step(step: Step, approvals: readonly string[]): FlatStep;
  approval(approval: Approval): FlatApproval;
}

const afresh: FlatMaking = { step: flatStep, approval: flatApproval };

/** The same for a tree that may be large: its steps are made as they are asked for, from the tree as it then is. */
export function flatParts(
  tree: RunTree,
  run?: string,
  flat: FlatMaking = afresh,
): Omit<FlatTree, 'steps'> & { readonly steps: Iterable<FlatStep> } {
  const root = stepOf(tree, 0);
  const { ended, endedAt } = tree;
  return {
    ...present({ run }),
    title: root.title,
    status: runStatus(tree),
    seq: tree.seq,
    answer: ended?.answer ?? null,
    startedAt: tree.startedAt ?? null,
    ...present({ endedAt, failure: ended?.failure }),
    usage: { ...tree.usage },
    spent: { ...tree.spent },
    ...present({ phase: root.phase, text: filled(textOf(root)), items: filled([...root.items]) }),
    steps: currentSteps(tree, flat),
    notices: [...tree.notices],
    approvals: [...tree.approvals.values()].map((approval) => flat.approval(approval)),
    ...present({ messages: filled([...tree.messages.values()].map(flatMessage)) }),
    ...(tree.stopping && !ended ? { stopping: true } : {}),
    ...(tree.takeovers > 0 ? { takeovers: tree.takeovers } : {}),
  };
}

const none: readonly string[] = [];

/** A parent stands before its children, so one pass meets a superseded step before anything below it. */
function* currentSteps(tree: RunTree, flat: FlatMaking): Generator<FlatStep> {
  const asked = Map.groupBy(tree.approvals.values(), ({ step }) => step);
  const superseded = new Set<StepId>();
  for (const step of tree.steps.values()) {
    for (const id of step.superseded) superseded.add(id);
    if (superseded.has(step.parent)) superseded.add(step.id);
    if (step.id === 0 || superseded.has(step.id)) continue;
    yield flat.step(step, asked.get(step.id)?.map(({ approval }) => approval) ?? none);
  }
}

function flatMessage({ id, text, by, attachments, takenBy }: QueuedMessage): z.infer<typeof FlatMessage> {
  return { id, text, by, ...present({ attachments: filled([...attachments]), takenBy }) };
}
