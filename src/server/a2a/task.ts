import {
  Role,
  TaskState,
  type Artifact,
  type Message,
  type Part,
  type Task,
  type TaskStatus,
} from '@a2a-js/sdk';
import { flatApproval } from '../../run/flat-approval.ts';
import { flatTree } from '../../run/flat-tree.ts';
import { runStatus, undecidedApprovals, type RunStatus, type RunTree } from '../../run/tree.ts';
import { isBlobRef } from '../../run/values.ts';
import { askedBeside, askingWords } from '../../run/asking.ts';
import type { RunRow } from '../../stores/store.ts';
import { toldStep, type StepNews } from './told-steps.ts';
import { answerArtifactId, dataPart, stepsArtifactId, stepsExtension, textPart } from '../../wire/a2a.ts';

/** A run as the task that another agent has given. */
export interface TaskRun {
  readonly row: Pick<RunRow, 'run' | 'conversation'>;
  readonly tree: RunTree;
  /** What it has answered, whole. */
  readonly answer: string;
}

const states: Readonly<Record<RunStatus, TaskState>> = {
  running: TaskState.TASK_STATE_WORKING,
  paused: TaskState.TASK_STATE_WORKING,
  waiting: TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  stopped: TaskState.TASK_STATE_CANCELED,
};

export function taskOf(told: TaskRun): Task {
  const { row, tree, answer } = told;
  const text = tree.started?.input.text ?? '';
  const parts = [textPart(isBlobRef(text) ? (text.preview ?? '') : text)];
  return {
    id: row.run,
    contextId: row.conversation,
    status: statusOf(told),
    artifacts: [...(answer === '' ? [] : [answerArtifact(answer)]), stepsArtifact(row, tree)],
    history: [messageOf(row, { id: `${row.run}.input`, role: Role.ROLE_USER, parts })],
    metadata: undefined,
  };
}

export function statusOf({ row, tree }: Omit<TaskRun, 'answer'>): TaskStatus {
  const status = runStatus(tree);
  return {
    state: states[status],
    message:
      status === 'waiting' ? question(row, tree) : status === 'failed' ? failure(row, tree) : undefined,
    timestamp: new Date(tree.at).toISOString(),
  };
}

/** What a person is asked, in words and as data: with the fingerprint that a decision has to name. */
function question(row: TaskRun['row'], tree: RunTree): Message {
  const asked = undecidedApprovals(tree);
  const parts = [
    textPart(asked.map(askingWords).join('\n\n')),
    dataPart({ approvals: asked.map((one) => ({ ...flatApproval(one), beside: askedBeside(one) })) }),
  ];
  return messageOf(row, { id: `${row.run}.${tree.seq}`, role: Role.ROLE_AGENT, parts });
}

function failure(row: TaskRun['row'], { ended, seq }: RunTree): Message {
  const parts = [textPart(ended?.failure?.message ?? 'It failed.')];
  return messageOf(row, { id: `${row.run}.${seq}`, role: Role.ROLE_AGENT, parts });
}

/** The tree of steps, which takes the place of what was sent of it before. */
export function stepsArtifact({ run }: TaskRun['row'], tree: RunTree): Artifact {
  return {
    ...artifact(stepsArtifactId, [dataPart(wholeTree(tree, run))]),
    ...aboutSteps,
  };
}

/** What has become of them since. */
export function stepsPiece(news: StepNews): Artifact {
  return { ...artifact(stepsArtifactId, [dataPart(news)]), ...aboutSteps };
}

const aboutSteps = { description: 'The nested steps of the run.', extensions: [stepsExtension] };

function wholeTree(tree: RunTree, run: string): object {
  const flat = flatTree(tree, run);
  return { ...flat, steps: flat.steps.map((step) => toldStep(tree, step)) };
}

export function answerArtifact(answer: string): Artifact {
  return artifact(answerArtifactId, [textPart(answer)]);
}

function artifact(name: string, parts: Part[]): Artifact {
  return { artifactId: name, name, description: '', parts, metadata: undefined, extensions: [] };
}

interface Said {
  readonly id: string;
  readonly role: Role;
  readonly parts: Part[];
}

function messageOf({ run, conversation }: TaskRun['row'], { id, role, parts }: Said): Message {
  return {
    messageId: id,
    contextId: conversation,
    taskId: run,
    role,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}
