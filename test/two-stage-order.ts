// A strict reader of the two-stage protocol, which has no official one: whether answers are in order, and tell all of a run once.
import {
  newStory,
  tellStory,
  type Listener,
  type OpenStep,
  type StoryEvent,
} from '../src/projections/story.ts';
import { comesToRest, newWaiting } from '../src/projections/waiting.ts';
import { answerAsSaid, noText, saysAnswer, takenBack, toldPiece } from '../src/run/answer-text.ts';
import { askingWords } from '../src/run/asking.ts';
import type { Entry, EventOf } from '../src/run/events.ts';
import { pauseKey } from '../src/run/tool-pause.ts';
import { isFinal } from '../src/run/tree.ts';
import type { TwoStageFrame } from '../src/wire/two-stage.ts';

/** What is out of order, or not what happened; nothing if it is right. */
export function disorderIn(
  frames: readonly TwoStageFrame[],
  entries: readonly Entry[],
  run: string,
): string[] {
  const faults = frames.at(-1)?.done ? [] : ['it has no end'];
  const [told, happened] = [frames.map(factOf), happenedIn(entries, run)];
  const first = happened.findIndex((fact, i) => fact !== told[i]);
  if (first >= 0) faults.push(`«${told[first]}» and not «${happened[first]}»`);
  return told.length > happened.length ? [...faults, `«${told[happened.length]}» too much`] : faults;
}

/** Where a frame is, and what it says there. */
function factOf(frame: TwoStageFrame): string {
  const { phase, requestId, projectId, toolBatchId, phaseIndex, cycleIndex } = frame;
  const place = placeOf({ phase, requestId, projectId, toolBatchId, phaseIndex, cycleIndex });
  const [call] = frame.toolCalls ?? [];
  const [result] = frame.toolResults ?? [];
  if (frame.chunk !== undefined) return `${place} says ${frame.chunk}`;
  if (call) return `${place} calls ${call.id} ${call.function.name}`;
  if (result) return `${place} result ${result.toolCallId} ${result.success} ${result.attempts}`;
  if (frame.notice) return `${place} notice ${frame.notice.code} ${frame.notice.message}`;
  if (!frame.done) return place;
  const how = frame.paused
    ? 'paused'
    : frame.stopped
      ? 'stopped'
      : frame.error === undefined
        ? 'completed'
        : 'failed';
  return `${place} ${how} ${frame.fullContent}`;
}

type Placed = Pick<
  TwoStageFrame,
  'phase' | 'requestId' | 'projectId' | 'toolBatchId' | 'phaseIndex' | 'cycleIndex'
>;

function placeOf({ phase, requestId, projectId, toolBatchId, phaseIndex, cycleIndex }: Placed): string {
  return [requestId, projectId, phase, phaseIndex, toolBatchId, cycleIndex].join(' ');
}

interface Own {
  readonly says: boolean;
}

/** What happens in a run by its story, in the same words. */
function happenedIn(entries: readonly Entry[], run: string): string[] {
  const own: Listener<Own>['own'] = (opening, above) => ({
    says: saysAnswer(opening, above && { says: above.own.says, kind: above.opening.kind }),
  });
  const [story, waiting, happening] = [newStory({ own }), newWaiting(), new Happening(run)];
  for (const entry of entries) {
    tellStory(story, entry, { own, hear: (event, step) => happening.hear(event, step) });
    if (comesToRest(waiting, entry) && entry.event.type !== 'run.ended') happening.rest();
  }
  return happening.all;
}

type Of<Type extends StoryEvent['type']> = Extract<StoryEvent, { type: Type }>;

class Happening {
  readonly all: string[] = [];
  #place: Placed;
  readonly #questions = new Map<string, EventOf<'approval.requested'> & { readonly isPause: boolean }>();
  readonly #told = noText();
  #said = '';

  constructor(requestId: string) {
    this.#place = {
      phase: 'tool_phase',
      requestId,
      projectId: '',
      toolBatchId: 0,
      phaseIndex: 0,
      cycleIndex: 0,
    };
  }

  /** Where nothing goes on until a person decides: what is asked is said, unless it is a pause. */
  rest(): void {
    const asked = [...this.#questions.values()].filter(({ isPause }) => !isPause);
    const words = asked.map(askingWords).join('\n\n');
    if (words !== '') this.#tell(`says ${this.#said === '' ? '' : '\n\n'}${words}`);
    this.#tell(`paused ${[this.#said, words].filter((text) => text !== '').join('\n\n')}`);
  }

  readonly hearing: {
    readonly [Type in StoryEvent['type']]?: (event: Of<Type>, step: OpenStep<Own>) => void;
  } = {
    'run.started': ({ labels, app }) => {
      const projectId = labels['projectId'] ?? labels['project'] ?? app;
      this.#place = { ...this.#place, projectId, requestId: labels['requestId'] ?? this.#place.requestId };
      this.#tell();
    },
    'phase.entered': ({ phase, batch: toolBatchId, cycle }) => {
      const phaseIndex = this.#place.phaseIndex + (this.#place.toolBatchId === 0 ? 0 : 1);
      this.#place = { ...this.#place, phase, toolBatchId, phaseIndex, cycleIndex: Math.max(0, cycle - 1) };
      this.#tell();
    },
    'text.appended': ({ channel, text }, { id, own }) => {
      if (channel === 'content' && own.says) this.#say(id, text);
    },
    'step.opened': (_, step) => this.#call(step),
    'step.started': ({ call }, step) => {
      if (call && call.signature !== step.opening.call?.signature) this.#call(step);
    },
    'step.retried': (event, step) => this.#again(event, step),
    'step.closed': (event, step) => this.#close(event, step),
    'notice.posted': ({ code, message }) => this.#tell(`notice ${code} ${message}`),
    'approval.requested': (event, { opening }) => {
      const isPause = opening.kind === 'ask' && opening.key === pauseKey(this.#place.toolBatchId);
      this.#questions.set(event.approval, { ...event, isPause });
    },
    'approval.decided': ({ approval, decision }) => {
      if (isFinal(decision)) this.#questions.delete(approval);
    },
    'approval.lapsed': ({ approval }) => void this.#questions.delete(approval),
    'run.ended': ({ outcome, answer }) => {
      this.#place = { ...this.#place, phase: 'complete' };
      this.#tell(`${outcome} ${answerAsSaid(answer, this.#said) || this.#said}`);
    },
  };

  hear(event: StoryEvent, step: OpenStep<Own>): void {
    const hearing: ((event: never, step: OpenStep<Own>) => void) | undefined = this.hearing[event.type];
    hearing?.(event as never, step);
  }

  #tell(what?: string): void {
    this.all.push(placeOf(this.#place) + (what === undefined ? '' : ` ${what}`));
  }

  #say(step: number, text: string): void {
    if (text === '') return;
    const isOther = this.#told.step !== String(step);
    this.#said = isOther ? text : this.#said + text;
    this.#tell(`says ${toldPiece(this.#told, String(step), text)}`);
  }

  #again(event: EventOf<'step.retried'>, step: OpenStep<Own>): void {
    const line = takenBack(this.#told, String(step.id));
    if (line !== '') this.#tell(`says ${line}`);
    if (line !== '') this.#said = '';
    if (event.call) this.#call(step);
  }

  #call(step: OpenStep<Own>): void {
    const name = callOf(step);
    if (name) this.#tell(`calls ${name.id} ${name.tool}`);
  }

  #close({ outcome, reusedFrom }: EventOf<'step.closed'>, step: OpenStep<Own>): void {
    for (const [approval, { step: about }] of this.#questions)
      if (about === step.id) this.#questions.delete(approval);
    const isBlocked = reusedFrom !== undefined;
    const attempts = isBlocked || !step.isBegun ? 0 : step.attempt;
    const name = callOf(step);
    if (name) this.#tell(`result ${name.id} ${outcome === 'completed' && !isBlocked} ${attempts}`);
  }
}

function callOf({
  id,
  call,
  opening,
}: OpenStep<Own>): { readonly id: string; readonly tool: string } | undefined {
  if (opening.kind !== 'call' && opening.kind !== 'misfit') return undefined;
  return { id: call?.id ?? `s${id}`, tool: call?.tool ?? opening.title };
}
