import { answerAsSaid, saysAnswer } from '../../run/answer-text.ts';
import type { EventOf, StepId } from '../../run/events.ts';
import { isFinal } from '../../run/tree.ts';
import type { FlatData, FlatMessage } from '../../wire/a2ui.ts';
import type { Projection } from '../projection.ts';
import { around, parentOf } from '../nested.ts';
import { overStory, type Place } from '../story-projection.ts';
import type { Dropped } from '../story.ts';
import { hear, takeBack } from './flat-output.ts';
import { newPace, paced, type Changed } from './flat-pace.ts';
import { ask, forget, putOff, settle } from './flat-questions.ts';
import {
  flatRow,
  isBeforeLast,
  isHidden,
  noPlace,
  placeIn,
  rowsShown,
  trim,
  type RowPlace,
} from './flat-rows.ts';
import { entitle, keep, show, type Flat, type Memory, type Own, type Step } from './flat-scene.ts';
import { flatQuestion, flatSurface, titleOf } from './flat-surface.ts';
import { droppedDetail } from './words.ts';

const beginning = titleOf({ isStopping: false, isPaused: false, undecided: 0 });

const inner = overStory<Memory, Own, Changed>({
  memory: () => ({
    planned: new Map(),
    rows: new Map(),
    hidden: new Set(),
    approvals: new Map(),
    speaker: { id: 0, above: [], text: '' },
    told: 0,
    pace: newPace(),
    count: 0,
    seq: 0,
    title: beginning,
    isStopping: false,
    isPaused: false,
  }),
  own: () => ({
    place: noPlace,
    isVoice: true,
    undecided: 0,
    undecidedBelow: 0,
    isResumed: false,
    hasSpoken: false,
  }),
  tell: {
    'step.planned'(scene, { step: id, key, title, kind }, above) {
      const place = placeBelow(scene, above, { id, key, kind });
      scene.memory.planned.set(id, place);
      const row = flatRow({ place, title, kind, detail: '', status: 'pending' });
      // The stages of a pipeline are planned together, so they are told together, with the last of them.
      keep(scene, id, { row, place, isTold: !isBeforeLast({ place, key }) });
    },
    'step.dropped': drop,
    'step.opened': open,
    'title.appended': (scene, _, step) => show(scene, step),
    'text.appended': hear,
    'step.retried'(scene, _, step) {
      forget(scene, step);
      step.own.hasSpoken = false;
      takeBack(scene, step.id);
      show(scene, step);
    },
    'step.closed'(scene, event, step) {
      forget(scene, step);
      if (event.outcome === 'abandoned') takeBack(scene, step.id);
      show(scene, step, event);
    },
    'approval.requested': ask,
    'approval.decided'(scene, event) {
      if (isFinal(event.decision)) settle(scene, event.approval, true);
      else putOff(scene, event);
    },
    'approval.returned': putOff,
    'approval.lapsed': (scene, { approval }) => settle(scene, approval, false),
    'run.paused': (scene) => pause(scene, true),
    'run.resumed': (scene) => pause(scene, false),
    'stop.requested'(scene) {
      scene.memory.isStopping = true;
      if (scene.memory.approvals.size > 0) scene.frames.push('questions');
      scene.memory.approvals.clear();
      entitle(scene);
    },
    'run.ended': end,
  },
});

/** Echo's dialect of A2UI: the surface at once, then with each change the rows as they are, at a pace. One message for each entry. */
export function flatProjection({
  run,
}: {
  readonly run: string;
}): Projection<Place<Memory, Own>, FlatMessage> {
  const surfaceId = `exec_${run}`;
  return {
    begin: inner.begin,
    ...(inner.weight && { weight: inner.weight }),
    project(state, entry) {
      const { memory } = state;
      const isBeginning = entry.event.type === 'run.started' && !state.story.hasStarted;
      memory.seq = entry.seq;
      const changed = paced(memory.pace, inner.project(state, entry), entry.at);
      if (isBeginning) return flatSurface(surfaceId, { title: beginning, steps: [], final_output: '' });
      if (changed.length === 0) return [];
      trim(memory.rows);
      return [{ type: 'dataModelUpdate', surfaceId, data: dataOf(memory, changed) }];
    },
  };
}

function dataOf(memory: Memory, changed: readonly Changed[]): FlatData {
  const data: FlatData[] = changed.map((one) => {
    if (one === 'rows') return { steps: rowsShown(memory.rows.values(), memory.count) };
    return one === 'questions' ? { approvals: [...memory.approvals.values()].map(flatQuestion) } : one;
  });
  return Object.assign({}, ...data) as FlatData;
}

/** A place for another row; what stood for it goes. */
function placeBelow(
  { memory }: Flat,
  above: Step,
  step: { readonly id: StepId; readonly key: string; readonly kind: string },
): RowPlace {
  const place = placeIn(above.own.place, step);
  if (above.id !== 0 && isHidden(above.own.place, true) && !memory.hidden.has(above.id)) {
    memory.hidden.add(above.id);
    if (memory.rows.delete(above.id)) memory.count -= 1;
  }
  if (isHidden(place, false)) memory.hidden.add(step.id);
  else memory.count += 1;
  return place;
}

function open(scene: Flat, event: EventOf<'step.opened'>, step: Step): void {
  const { memory, story } = scene;
  const above = parentOf(story, step);
  const planned = memory.planned.get(step.id);
  memory.planned.delete(step.id);
  const speaks = saysAnswer(event, { says: above.own.isVoice, kind: above.opening.kind });
  const place = planned ?? placeBelow(scene, above, { id: step.id, key: event.key, kind: event.kind });
  step.own = { place, isVoice: speaks, undecided: 0, undecidedBelow: 0, isResumed: false, hasSpoken: false };
  show(scene, step);
  if (!speaks) return;
  takeBack(scene, memory.speaker.id);
  const over = around(story, above).map(({ id }) => id);
  memory.speaker = { id: step.id, above: over, text: '' };
}

function drop(scene: Flat, { step: id, failure }: Dropped): void {
  const { planned, rows } = scene.memory;
  const place = planned.get(id);
  planned.delete(id);
  const known = rows.get(id);
  if (!place || !known) return;
  const detail = droppedDetail(failure);
  keep(scene, id, { place, row: { ...known.row, detail, status: 'skipped' } });
}

function pause(scene: Flat, isPaused: boolean): void {
  scene.memory.isPaused = isPaused;
  entitle(scene);
}

function end(scene: Flat, { outcome, answer, failure }: EventOf<'run.ended'>, run: Step): void {
  forget(scene, run);
  const { frames, memory } = scene;
  const text = answerAsSaid(answer, memory.speaker.text) || memory.speaker.text || failure?.message || '';
  memory.pace.isUrgent = true;
  frames.push('rows', { final_output: text });
  entitle(scene, outcome);
}
