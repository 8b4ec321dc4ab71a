/** The server that everything below talks to. */
export { useVitrine, VitrineProvider } from './vitrine.tsx';
/** What may change, drawn anew when it has. */
export { useSource } from './use-source.ts';
/** A run that is watched, and its parts. */
export { useBelow, useRun, useStep } from './use-run.ts';
/** The runs of a conversation, as they come. */
export { useConversation, type Conversation } from './use-conversation.ts';
/** All runs, as lists show them. */
export { useRuns, type RunsNow } from './use-runs.ts';
/** What waits for a person, across runs. */
export { useApprovals, type Approvals } from './use-approvals.ts';
/** One question: all of it, and what to make of it. */
export { useQuestion, type Question, type WholeQuestion } from './use-question.ts';
/** The steps of a run, as a tree that is drawn step by step. */
export { StepTree, type StepListProps, type StepProps } from './step-tree.tsx';
/** A question with its buttons. */
export { Approval } from './approval.tsx';
/** A whole run, as it comes. */
export { RunView } from './run-view.tsx';
/** The same as an element for any page. */
export { defineVitrineRun, type RunElement } from './run-element.tsx';
