// Everything that happens in a run and that the AI SDK has a place for, in the order in which it happens: by the story, in words.
import { speak, untold, voiceOf, type Spoken, type Voice } from '../../src/projections/speaker.ts';
import {
  newStory,
  tellStory,
  type Listener,
  type OpenStep,
  type StoryEvent,
} from '../../src/projections/story.ts';
import { comesToRest, newWaiting } from '../../src/projections/waiting.ts';
import type { Entry } from '../../src/run/events.ts';
import { questionId } from '../../src/run/question-id.ts';
import { isFinal } from '../../src/run/tree.ts';

interface Asked {
  readonly step: number;
  /** The call that the question is about, or the one that it is. */
  readonly call: string;
  readonly isOwn: boolean;
}

interface Known {
  readonly spoken: Spoken;
  readonly questions: Map<string, Asked>;
  readonly denied: Set<number>;
  /** Who is in the middle of saying something. */
  readonly talking: Set<number>;
  /** How many things were told that have a number. */
  numbered: number;
}

type Step = OpenStep<Voice>;

export function happenedIn(entries: readonly Entry[]): string[] {
  const known = {
    spoken: { in: '', text: '' },
    questions: new Map<string, Asked>(),
    denied: new Set<number>(),
    talking: new Set<number>(),
    numbered: 0,
  };
  const own: Listener<Voice>['own'] = (opening, above) => voiceOf(opening, above?.own);
  const all: string[] = [];
  const hear = (event: StoryEvent, step: Step): void => void all.push(...happened(known, event, step));
  const [story, waiting] = [newStory({ own }), newWaiting()];
  for (const entry of entries) {
    tellStory(story, entry, { own, hear });
    if (!comesToRest(waiting, entry) || entry.event.type === 'run.ended') continue;
    known.talking.clear();
    all.push('end finish');
  }
  return all;
}

function happened(known: Known, event: StoryEvent, step: Step): readonly string[] {
  const of: ((known: Known, event: never, step: Step) => readonly string[]) | undefined = facts[event.type];
  return of?.(known, event as never, step) ?? [];
}

/** A step as it is shown. The run itself is none. */
function shown({ id, attempt, title }: Step, status: string): string[] {
  return id === 0 ? [] : [`s${id} ${status} ${attempt} ${title}`];
}

const facts: {
  readonly [Type in StoryEvent['type']]?: (known: Known, event: Of<Type>, step: Step) => readonly string[];
} = {
  'step.opened': (_, { kind }, step) => [
    ...shown(step, 'running'),
    ...(kind === 'call' ? [`call ${callOf(step)}`] : []),
  ],
  'step.started': (_, __, step) => shown(step, 'running'),
  'title.appended': (_, __, step) => shown(step, 'running'),
  'step.retried'(known, { attempt }, step) {
    const before = `result ${callOf(step, attempt - 1)} error`;
    const isCall = step.opening.kind === 'call';
    if (known.spoken.in === `s${step.id}`) Object.assign(known.spoken, { in: '', text: '' });
    const again = isCall ? [before, `call ${callOf(step)}`] : [];
    return [...takenBack(known, step), ...shown(step, 'running'), ...again];
  },
  'step.closed': (known, { outcome, isSuperseded }, step) => [
    ...lapsed(known, step.id),
    ...(isSuperseded === true ? takenBack(known, step) : []),
    ...shown(step, outcome),
    ...resultOf(known, outcome, step),
  ],
  'text.appended': said,
  'approval.requested': (known, event, step) => [...shown(step, 'waiting'), ...asked(known, event, step)],
  'approval.decided': (known, event) => (isFinal(event.decision) ? decided(known, event) : []),
  'approval.lapsed': (known, { approval }) => settled(known, approval, 'error'),
  'approval.returned': (known, { approval }) =>
    known.questions.has(approval) ? [noticed(known, 'ASKED_AGAIN')] : [],
  'stop.requested': (known) => [...lapsed(known), noticed(known, 'STOPPING')],
  'run.ended'(known, { answer, outcome }) {
    const rest = untold(known.spoken, answer);
    const end = { completed: 'finish', failed: 'error', stopped: 'abort' }[outcome];
    return [...lapsed(known), ...(rest === '' ? [] : [`answer says ${rest}`]), `end ${end}`];
  },
  'run.paused': (known) => [noticed(known, 'PAUSED')],
  'run.resumed': (known) => [noticed(known, 'RESUMED')],
  'worker.took': (_, { reason }) => (reason === 'recovered' ? ['notice RECOVERED undefined'] : []),
  'message.queued': (known) => [noticed(known, 'MESSAGE_QUEUED')],
  unknown: (known) => [noticed(known, 'UNKNOWN_EVENT')],
  'notice.posted': (known, { code }) => [noticed(known, code)],
  'phase.entered': (_, { phase, batch }) => [`phase ${phase} ${batch}`],
  'item.attached': (known, { item }) => [itemOf(known, item)],
};

function noticed(known: Known, code: string): string {
  known.numbered += 1;
  return `notice ${code} n${known.numbered}`;
}

/** A file has no name of its own: it is what it is. */
function itemOf(known: Known, item: Of<'item.attached'>['item']): string {
  known.numbered += 1;
  const { url, data, blob, type } = item.kind === 'attachment' ? item.attachment : {};
  const place = url ?? data ?? blob?.blob;
  return item.kind === 'attachment' && place !== undefined
    ? `file ${type || 'application/octet-stream'} ${place.length}`
    : `item i${known.numbered}`;
}

/** What was begun is left off, and said anew. */
function takenBack({ talking }: Known, { id }: Step): string[] {
  return talking.delete(id) ? [`s${id} taken back`] : [];
}

type Of<Type extends StoryEvent['type']> = Extract<StoryEvent, { type: Type }>;

function callOf({ id, attempt }: Step, which = attempt): string {
  return which === 1 ? `s${id}` : `s${id}.${which}`;
}

function said(
  { spoken, talking }: Known,
  { channel, text }: Of<'text.appended'>,
  { id, own }: Step,
): string[] {
  if (text === '' || channel === 'arguments') return [];
  if (channel === 'log' || own.isInner) return [`s${id} ${channel} ${text}`];
  if (own.isSilent && channel === 'content') return [];
  if (channel === 'content') {
    speak(spoken, `s${id}`, text);
    talking.add(id);
  }
  return [`s${id} ${channel === 'content' ? 'says' : 'thinks'} ${text}`];
}

function asked({ questions }: Known, event: Of<'approval.requested'>, step: Step): string[] {
  const isOwn = step.opening.kind !== 'call' || step.id !== event.step;
  const call = isOwn ? `ask-${event.approval}` : callOf(step);
  questions.set(event.approval, { step: event.step, call, isOwn });
  return [...(isOwn ? [`call ${call}`] : []), `asked ${questionId(event)}`];
}

function decided(known: Known, { approval, decision }: Of<'approval.decided'>): string[] {
  const isNo = decision === 'reject' || decision === 'expire';
  const question = known.questions.get(approval);
  if (question && !question.isOwn && isNo) known.denied.add(question.step);
  return settled(known, approval, isNo ? 'denied' : 'available');
}

function settled({ questions }: Known, approval: string, how: string): string[] {
  const question = questions.get(approval);
  questions.delete(approval);
  return question?.isOwn === true ? [`result ${question.call} ${how}`] : [];
}

function lapsed(known: Known, of?: number): string[] {
  const gone = [...known.questions].filter(([, { step }]) => of === undefined || step === of);
  return gone.flatMap(([approval]) => settled(known, approval, 'error'));
}

function resultOf({ denied }: Known, outcome: string, step: Step): string[] {
  if (step.opening.kind !== 'call') return [];
  const isDenied = denied.delete(step.id);
  const isDone = outcome === 'completed' || outcome === 'reused';
  return [`result ${callOf(step)} ${isDone ? 'available' : isDenied ? 'denied' : 'error'}`];
}
