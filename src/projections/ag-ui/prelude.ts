import { isOpen, stepOf, textOf, undecidedApprovals, type RunTree, type Step } from '../../run/tree.ts';
import type { AgUiEvent, AgUiMessage } from '../../wire/ag-ui.ts';
import { stepName } from '../nested.ts';
import type { ViewOptions } from '../projection.ts';
import type { Question } from '../questions.ts';
import { activitySnapshot, bounded } from './activity.ts';
import { begun } from './beginning.ts';
import { plain, resultText, untold } from '../speaker.ts';
import { functionOf } from './call.ts';
import { endOf } from './ending.ts';
import { labelOf, opened, partOf, speaking, thoughts, type Part, type Said } from './part.ts';
import { endsHalf } from './saying.ts';
import { interrupted, suspended } from './suspending.ts';

/** A step of the tree as it is told. */
interface Told {
  readonly step: Step;
  readonly part: Part;
  readonly above: Part;
  readonly text: string;
  readonly reasoning: string;
  readonly said: Said;
}

/** What a client has that is not of this run, and whether an answer ends where the run stands. */
export type Joining = Pick<ViewOptions, 'run' | 'options' | 'had' | 'isResting'>;

/**
 * A run as it stands, for a client without a cursor: what is over as it is, what is open opened again, so that what comes next
 * finds it. Messages of the client that are not of this run are given back to it: what is not named is gone.
 */
export function agUiPrelude(tree: RunTree, view: Joining): readonly AgUiEvent[] {
  const { run, had = [], isResting = false } = view;
  const told = toldSteps(tree, view);
  const place = {
    run,
    thread: tree.started?.conversation ?? run,
    app: tree.started?.app ?? '',
    status: statusOf(tree),
  };
  const others = (had as readonly AgUiMessage[]).filter(({ id = '' }) => !id.startsWith(`${run}-`));
  const asked = others.length > 0 ? others : [question(tree, run)];
  const messages = [...asked, ...told.flatMap((each) => messagesOf(each)), ...answerOf(tree, told, run)];
  const steps = told
    .filter(({ step }) => step.id !== 0)
    .map((each) => [`s${each.step.id}`, activityOf(each.step)]);
  const start: AgUiEvent[] = [
    ...begun(place),
    { type: 'MESSAGES_SNAPSHOT', messages },
    activitySnapshot(run, Object.fromEntries(steps) as Record<string, object>, true),
  ];
  if (tree.ended) return [...start, endOf(place, tree.ended)];
  const open = told.filter(({ step }) => isOpen(step));
  const begins = open.flatMap((each) => [...reopened(each), ...speaking(each, each.said)]);
  if (!isResting) return [...start, ...begins];
  const questions = undecidedApprovals(tree).map((approval): Question => ({
    type: 'approval.requested',
    ...approval,
  }));
  const closing = open.map(({ step, part, said }) => ({ id: step.id, part, label: labelOf(step), said }));
  return [...start, ...begins, ...suspended(closing, questions), interrupted(place, closing, questions)];
}

function statusOf({ ended, stopping, paused }: RunTree): string {
  return ended?.outcome ?? (stopping ? 'stopping' : paused ? 'paused' : 'running');
}

/** All steps that were opened, and the run itself first. */
function toldSteps(tree: RunTree, view: Joining): Told[] {
  const parts = new Map<number, Part>();
  const partAt = (step: Step): Part => {
    const known = parts.get(step.id);
    if (known) return known;
    const above = step.id === 0 ? undefined : partAt(stepOf(tree, step.parent));
    const part = partOf(
      view,
      { step: step.id, kind: step.kind, attempt: step.attempt, origin: step.origin },
      above,
    );
    parts.set(step.id, part);
    return part;
  };
  const opened = [...tree.steps.values()].filter((step) => step.id === 0 || step.openedAt !== undefined);
  return opened.map((step) => {
    const part = partAt(step);
    const text = part.isSilent ? '' : whole(textOf(step), isOpen(step));
    const hasText = !part.isSilent && textOf(step) !== '';
    const reasoning = whole(textOf(step, 'reasoning'), isOpen(step) && !hasText);
    const said = {
      text: isOpen(step) && hasText,
      reasoning: isOpen(step) && textOf(step, 'reasoning') !== '' && !hasText,
    };
    return { step, part, above: partAt(stepOf(tree, step.parent)), text, reasoning, said };
  });
}

/** Half of a character is told when the other one has come. */
function whole(text: string, isOpen: boolean): string {
  return (isOpen && endsHalf(text) ? text.slice(0, -1) : text).toWellFormed();
}

function question(tree: RunTree, run: string): object {
  return { id: `${run}-user`, role: 'user', content: plain(tree.started?.input.text).toWellFormed() };
}

/** Messages as far as they have come: to those that are opened again, what comes next is added. */
function messagesOf({ step, part, text, reasoning, said }: Told): object[] {
  const tag = part.agent === undefined ? {} : { subagentRunId: part.agent };
  const thought = reasoning !== '' || said.reasoning;
  const words = text !== '' || said.text;
  return [
    ...(thought ? [{ id: thoughts(part).messageId, role: 'reasoning', content: reasoning, ...tag }] : []),
    ...(words ? [{ id: part.id, role: 'assistant', content: text, ...tag }] : []),
    ...(part.as === 'call' ? callOf(step, part, tag) : []),
  ];
}

function callOf(step: Step, part: Part, tag: object): object[] {
  const call = { id: part.id, type: 'function', function: functionOf(step) };
  const asked = { id: part.id, role: 'assistant', toolCalls: [call], ...tag };
  if (isOpen(step) || step.status === 'pending') return [asked];
  const { result, failure, reusedFrom, status } = step;
  const content = resultText({ outcome: status as 'completed', result, failure, reusedFrom });
  const answer = { id: `${part.id}-result`, role: 'tool', toolCallId: part.id, content, ...tag };
  return [asked, { ...answer, metadata: { status } }];
}

function answerOf({ ended }: RunTree, told: readonly Told[], run: string): object[] {
  const texts = ['', ...told.filter(({ part }) => !part.isInner).map(({ text }) => text)];
  const rests = texts.map((text) => untold({ in: '', text }, ended?.answer).toWellFormed());
  const content = rests.toSorted((one, other) => one.length - other.length)[0] ?? '';
  return content === '' ? [] : [{ id: `${run}-answer`, role: 'assistant', content }];
}

function activityOf({ parent, kind, title, status, agent, attempt, failure }: Step): object {
  return bounded({
    parent: stepName(parent),
    kind,
    title,
    status,
    agent,
    ...(attempt === 1 ? {} : { attempt }),
    ...(failure ? { detail: failure.message } : {}),
  });
}

function reopened({ step, part, above }: Told): AgUiEvent[] {
  if (step.id === 0) return [];
  return opened({ part, step, opening: { ...step, call: step.call, query: step.query }, above });
}
