import { askedBeside, askedBriefly } from '../../run/asking.ts';
import { questionId } from '../../run/question-id.ts';
import { isBlobRef } from '../../run/values.ts';
import { exact, visible } from '../../run/visible.ts';
import type { AgUiEvent, AgUiInterrupt } from '../../wire/ag-ui.ts';
import type { Question } from '../questions.ts';
import { shownQuestion } from '../../run/shown-question.ts';
import { isoTime } from '../time-text.ts';
import { silenced, type Part, type Said } from './part.ts';
import { filled } from '../../run/tree.ts';

/** What is open, as far as it must be closed before a run of AG-UI may end. */
export interface Open {
  readonly id: number;
  readonly part: Part;
  readonly label: string;
  readonly said: Said;
}

/** Closes all that is open, the innermost first: it is opened again when the run goes on. */
export function suspended(open: readonly Open[], questions: readonly Question[]): AgUiEvent[] {
  return open.toReversed().flatMap(({ id, part, label, said }) => {
    const ended = id === 0 ? [] : closing(part, label, asking(part, open, questions));
    return [...silenced({ part }, said), ...ended];
  });
}

function asking(part: Part, open: readonly Open[], questions: readonly Question[]): string[] {
  if (part.as !== 'agent') return [];
  return questions.filter(({ step }) => partAt(open, step)?.agent === part.id).map(questionId);
}

function closing(part: Part, label: string, interruptIds: readonly string[]): AgUiEvent[] {
  switch (part.as) {
    case 'call':
      return [];
    case 'step':
      return [stepFinished({ label, agent: part.agent }, { status: 'suspended' })];
    case 'agent': {
      const outcome = { type: 'suspended', ...(interruptIds.length > 0 ? { interruptIds } : {}) } as const;
      return [{ type: 'SUBAGENT_FINISHED', subagentRunId: part.id, outcome }];
    }
  }
}

export function stepFinished(
  { label, agent }: { readonly label: string; readonly agent: string | undefined },
  metadata: Record<string, unknown>,
): AgUiEvent {
  return { type: 'STEP_FINISHED', stepName: label, subagentRunId: agent, metadata };
}

/** The end of a run of AG-UI at which people are asked. */
export function interrupted(
  { run, thread }: { readonly run: string; readonly thread: string },
  open: readonly Open[],
  questions: readonly Question[],
): AgUiEvent {
  const interrupts = questions.map((question) => interruptOf(question, partAt(open, question.step)));
  return {
    type: 'RUN_FINISHED',
    threadId: thread,
    runId: run,
    outcome: { type: 'interrupt', interrupts },
  };
}

function partAt(open: readonly Open[], step: number): Part | undefined {
  return open.find(({ id }) => id === step)?.part;
}

function interruptOf(question: Question, part: Part | undefined): AgUiInterrupt {
  const { schema, expiresAt, allowed, priority } = question;
  const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  return {
    id: questionId(question),
    reason: schema === undefined ? 'approval' : 'input',
    message: askedBriefly(question),
    toolCallId: part?.call,
    responseSchema: isObject ? (schema as Record<string, unknown>) : undefined,
    expiresAt: expiresAt === undefined ? undefined : isoTime(expiresAt),
    metadata: { ...shownQuestion(question), ...passedOn(question), allowed: [...allowed], priority },
    subagentRunId: part?.agent,
  };
}

/**
 * For those who put the question to people of their own: what they show them they make of this. So what would not be seen
 * as it is stays out: `arguments` has it, written out.
 */
function passedOn(question: Question): Record<string, unknown> {
  const { title, arguments: given } = question;
  return {
    title: visible(title),
    about: filled(askedBeside(question).join('\n')),
    given: isBlobRef(given) || exact(given) !== JSON.stringify(given, null, 2) ? undefined : given,
  };
}
